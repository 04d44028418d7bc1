import { randomBytes, randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../../support/server-process.ts'
import { showLogOfFailure } from '../../support/show-log-of-failure.ts'

const ROUNDS = 20
/**
 * Most of a round is the start of a server, up to 20 s when 18 other processes compete for each
 * core.
 */
const ROUND_MS = 60_000
const WRITES = 1_000
const WRITERS = 8

/** Published content has two versions, so a partial write would be visible. `code` is unique. */
const TYPES = {
  note: {
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    options: { draftAndPublish: true },
    attributes: { name: { type: 'string' }, code: { type: 'string', unique: true } },
  },
}

const HEADERS = { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/json' }

interface Note {
  readonly documentId: string
  readonly code: string
}

describe('a server that is killed while it writes', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'quire-crash-'))
  const env = {
    ...(process.env['MONGODB_URI'] === undefined
      ? { QUIRE_DATABASE: 'embedded' }
      : { MONGODB_URI: process.env['MONGODB_URI'] }),
    MONGODB_DATABASE: `quire_test_crash_${randomBytes(4).toString('hex')}`,
    QUIRE_DATA_DIR: directory,
    CONTENT_TYPES_DIR: writeContentTypes(TYPES),
    LOG_LEVEL: 'info',
    QUERY_TIMEOUT_MS: '30000', // the speed of the first list is not tested
  }
  const servers: ServerProcess[] = []
  const start = async (): Promise<ServerProcess> => {
    const server = await startServerProcess(env)
    servers.push(server)
    return server
  }
  showLogOfFailure(() => servers.slice(-1))

  after(async () => {
    await Promise.all(servers.map((server) => server.kill()))
    rmSync(directory, { recursive: true, force: true })
    rmSync(env.CONTENT_TYPES_DIR, { recursive: true, force: true })
  })

  it(`keeps every acknowledged write exactly once, for ${ROUNDS} kills`, async function () {
    this.timeout((ROUNDS + 1) * ROUND_MS)
    const acknowledged = new Map<string, string>()
    const sent = new Set<string>()
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await start()
      await writeUntilKilled(server, round, { acknowledged, sent })
    }
    const server = await start()
    const [published, drafts] = [await readAll(server, 'published'), await readAll(server, 'draft')]
    const stored = new Map(published.map(({ code, documentId }) => [code, documentId]))
    const lost = [...acknowledged].filter(([code, documentId]) => stored.get(code) !== documentId)
    const found = await Promise.all(
      lost.map(async ([, documentId]) => {
        const place = isInFile(directory, documentId) ? 'in the file' : 'not in the file'
        return `${await readOne(server, documentId)} ${place}`
      }),
    )
    expect(await server.stop()).to.equal(0)

    expect(acknowledged.size).to.be.greaterThan(ROUNDS)
    expect(new Set(published.map(({ code }) => code)).size).to.equal(published.length)
    expect(published.filter(({ code }) => !sent.has(code))).to.deep.equal([])
    const inOrder = [...acknowledged.keys()].join(' ')
    expect(lost, `found by id: ${found.join()}; acknowledged: ${inOrder}`).to.deep.equal([])
    expect(drafts.map(({ documentId }) => documentId).toSorted()).to.deep.equal(
      published.map(({ documentId }) => documentId).toSorted(),
    )
  })
})

/**
 * Posts notes from several clients at once, and kills the server after a random number of
 * responses.
 */
async function writeUntilKilled(
  server: ServerProcess,
  round: number,
  { acknowledged, sent }: { acknowledged: Map<string, string>; sent: Set<string> },
): Promise<void> {
  const killAfter = randomInt(1, WRITES / 4)
  const end = { answers: 0, killed: undefined as Promise<void> | undefined }
  let next = 0
  const write = async (): Promise<void> => {
    while (next < WRITES && end.killed === undefined) {
      const code = `${round}-${next}`
      next += 1
      sent.add(code)
      const documentId = await post(server, code)
      if (documentId === null) return
      acknowledged.set(code, documentId)
      end.answers += 1
      if (end.answers >= killAfter) end.killed ??= server.kill()
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
  await (end.killed ?? server.kill())
}

/** The documentId of an acknowledged write, or null if the server was lost before its response. */
async function post(server: ServerProcess, code: string): Promise<string | null> {
  try {
    const response = await fetch(`${server.base}/api/notes`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify({ data: { name: `note ${code}`, code } }),
    })
    expect(response.status, await response.clone().text()).to.equal(201)
    const { data } = (await response.json()) as { readonly data: Note }
    return data.documentId
  } catch (error) {
    if (error instanceof TypeError) return null // fetch throws this for a lost connection
    throw error
  }
}

/** The responses for both versions, which tell a lost document from one that is missing in lists. */
async function readOne(server: ServerProcess, documentId: string): Promise<string> {
  const statuses = ['published', 'draft'].map(async (status) => {
    const target = `${server.base}/api/notes/${documentId}?status=${status}`
    return (await fetch(target, { headers: HEADERS })).status
  })
  return (await Promise.all(statuses)).join('/')
}

/** Whether a page of the embedded engine has it, perhaps one that no commit refers to. */
function isInFile(directory: string, documentId: string): boolean {
  const file = path.join(directory, 'embedded', 'data.mdb')
  return existsSync(file) && readFileSync(file).includes(documentId)
}

async function readAll(server: ServerProcess, status: string): Promise<readonly Note[]> {
  const notes: Note[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = `status=${status}&pagination[pageSize]=100&pagination[cursor]=${cursor}`
    const response = await fetch(`${server.base}/api/notes?${query}`, { headers: HEADERS })
    expect(response.status, await response.clone().text()).to.equal(200)
    const page = (await response.json()) as {
      readonly data: readonly Note[]
      readonly meta: { readonly pagination: { readonly nextCursor: string | null } }
    }
    notes.push(...page.data)
    cursor = page.meta.pagination.nextCursor
  }
  return notes
}
