import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { declare } from '../support/server.ts'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../support/server-process.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'

const COMMITS = Number(process.env['QUIRE_TEST_FOLLOWED_COMMITS'] ?? 2_000)
const DOCUMENTS = 50
const KILLS = Number(process.env['QUIRE_TEST_KILLS'] ?? 4)
const WAIT_MS = 120_000

/** Appends a line per call. It reads the entry, so that the calls overlap. */
const configuration = (mirror: string): string => `
import { appendFileSync } from 'node:fs'
export default {
  extensions: [{
    name: 'mirror',
    contentTypes: {
      'api::note.note': {
        afterCommit: async ({ documentId, commit, content }) => {
          await content.notes.findOne(documentId, {}, { as: 'system' })
          appendFileSync(${JSON.stringify(mirror)}, documentId + ' ' + commit + '\\n')
        },
      },
    },
  }],
}
`

interface LoggedCommit {
  readonly _id: string
  readonly seq: number
  readonly items: readonly { readonly documentId: string; readonly type: string }[]
}

describe('afterCommit of a server that is killed', () => {
  let test: TestDatabase
  let folder: string
  let server: ServerProcess

  before(async () => {
    test = await openTestDatabase('killed_followers')
    folder = mkdtempSync(path.join(tmpdir(), 'quire-project-'))
    writeFileSync(path.join(folder, 'quire.config.mjs'), configuration(mirror()))
    appendFileSync(mirror(), '')
    server = await start()
  })
  after(async () => {
    await server.kill()
    await test.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const mirror = (): string => path.join(folder, 'mirror.txt')
  const types = writeContentTypes({
    note: declare('note', { number: { type: 'integer' }, code: { type: 'string', unique: true } }),
  })
  const start = (): Promise<ServerProcess> =>
    startServerProcess(
      {
        MONGODB_URI: test.uri,
        MONGODB_DATABASE: test.name,
        CONTENT_TYPES_DIR: types,
        QUIRE_DATA_DIR: path.join(folder, 'data'),
        JWT_SECRET: 'secret-of-the-test',
      },
      { cwd: folder },
    )
  const complaints = (): string => server.lastLines.slice(-5).join('\n')
  const write = async (method: string, target: string, number: number): Promise<string | null> => {
    try {
      const answer = await fetch(server.base + target, {
        method,
        headers: { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ data: { number } }),
      })
      const { data } = (await answer.json()) as { readonly data?: { readonly documentId: string } }
      return data?.documentId ?? null
    } catch {
      return null // the server was killed
    }
  }
  const logged = (): Promise<readonly LoggedCommit[]> =>
    test.database
      .collection<LoggedCommit>('quire_commits')
      .find({ 'items.type': 'api::note.note', seq: { $exists: true } })
      .sort({ seq: 1 })
      .toArray()
  const seen = (): readonly (readonly [documentId: string, commit: string])[] =>
    readFileSync(mirror(), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [documentId = '', commit = ''] = line.split(' ')
        return [documentId, commit] as const
      })

  it('is called for each commit at least once, in order per document', async () => {
    const documents: string[] = []
    while (documents.length < DOCUMENTS) {
      const created = await write('POST', '/api/notes', 0)
      if (created !== null) documents.push(created)
    }
    let written = 0
    const writer = async (first: number): Promise<void> => {
      for (let turn = first; written < COMMITS; turn += 1) {
        const documentId = documents[turn % DOCUMENTS] ?? ''
        const done = await write('PUT', `/api/notes/${documentId}`, turn)
        if (done === null) await wait(50)
        else written += 1
      }
    }
    const writers = Array.from({ length: 8 }, (_, index) => writer(index * 7))
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const bound = (COMMITS * kill) / (KILLS + 1)
      await until(() => written >= bound, WAIT_MS)
      await server.kill()
      server = await start()
    }
    await Promise.all(writers)
    const pending = test.database.collection('quire_commits')
    await until(async () => (await pending.countDocuments({ pending: 1 })) === 0, WAIT_MS)
    const commits = await logged()
    const expected = new Map<string, string[]>()
    for (const { _id, items } of commits) {
      for (const documentId of new Set(items.map((item) => item.documentId))) {
        expected.set(documentId, [...(expected.get(documentId) ?? []), _id])
      }
    }
    const missing = (): number => {
      const called = new Set(seen().map(([documentId, commit]) => `${documentId} ${commit}`))
      return [...expected].flatMap(([documentId, ids]) =>
        ids.filter((id) => !called.has(`${documentId} ${id}`)),
      ).length
    }
    await until(
      () => missing() === 0,
      WAIT_MS,
      () => `${missing()} are missing`,
    )
    const first = firstCalls(seen())
    for (const [documentId, ids] of expected) {
      expect(first.get(documentId), documentId).to.deep.equal(ids)
    }
    expect(commits.length).to.be.at.least(COMMITS)
  })

  it('follows the commits of a bulk request', async () => {
    const began = seen().length
    const lines = Array.from({ length: 2_000 }, (_, number) =>
      JSON.stringify({ op: 'upsert', type: 'note', key: { code: `c${number}` }, data: { number } }),
    )
    const answer = await fetch(`${server.base}/api/_bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    })
    expect((await answer.text()).match(/"status":201/g)?.length).to.equal(2_000)
    await until(
      () => seen().length - began >= 2_000,
      WAIT_MS,
      () => `${seen().length - began} calls ${complaints()}`,
    )
  })
})

/** The commits of each document in the order of their first calls. */
function firstCalls(
  calls: readonly (readonly [documentId: string, commit: string])[],
): ReadonlyMap<string, readonly string[]> {
  const first = new Map<string, Set<string>>()
  for (const [documentId, commit] of calls) {
    first.set(documentId, (first.get(documentId) ?? new Set<string>()).add(commit))
  }
  return new Map([...first].map(([documentId, commits]) => [documentId, [...commits]]))
}
