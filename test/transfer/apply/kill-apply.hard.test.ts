import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type Document, MongoClient } from 'mongodb'
import { pino } from 'pino'
import { readConfig } from '../../../src/base/config/config.ts'
import { openServices } from '../../../src/server/services/open-services.ts'
import { declare } from '../../support/server.ts'
import { testUri } from '../../support/test-database.ts'

const CLI = fileURLToPath(new URL('../../../src/cli/cli.js', import.meta.url))

/**
 * Number of evenly spaced kill points. A cluster keeps the transaction of a killed process for a minute, and the next
 * run waits for it.
 */
const USUAL_KILLS = process.env['MONGODB_URI'] === undefined ? 5 : 2
const KILLS = Number(process.env['QUIRE_APPLY_KILLS'] ?? USUAL_KILLS)
const NOTES = 2_500
const PEOPLE = 60

const TYPES = {
  note: declare(
    'note',
    {
      slug: { type: 'string', unique: true },
      title: { type: 'string' },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::person.person' },
    },
    { draftAndPublish: true },
  ),
  person: declare('person', {
    name: { type: 'string', unique: true },
    friend: { type: 'relation', relation: 'manyToOne', target: 'api::person.person' },
    best: { type: 'relation', relation: 'manyToOne', target: 'api::note.note' },
  }),
}

/** Fields that differ in each run. */
const OF_A_RUN = [
  'id',
  'createdAt',
  'updatedAt',
  'publishedAt',
  '_revision',
  '_commit',
  '_lock',
  '_state',
]

interface Run {
  /** Null if the process was killed. */
  readonly status: number | null
  readonly counts: string
}

describe('a killed apply', () => {
  let uri: string
  let client: MongoClient
  let folder: string
  let content: string
  const databases: string[] = []

  before(async () => {
    uri = await testUri()
    client = await MongoClient.connect(uri)
    folder = mkdtempSync(path.join(tmpdir(), 'quire-kill-apply-'))
    const types = path.join(folder, 'types')
    mkdirSync(types)
    for (const [name, type] of Object.entries(TYPES)) {
      writeFileSync(path.join(types, `${name}.json`), JSON.stringify(type))
    }
    content = path.join(folder, 'content')
    mkdirSync(content)
    // Notes refer to people of a later file and to notes. People refer to each other in a circle.
    const notes = Array.from({ length: NOTES }, (_, nth) => ({
      slug: `note ${nth}`,
      title: `Note ${nth}`,
      ...(nth % 10 === 0 && { author: { key: { name: `person ${nth % PEOPLE}` } } }),
    }))
    const people = Array.from({ length: PEOPLE }, (_, nth) => ({
      name: `person ${nth}`,
      friend: { key: { name: `person ${(nth + 1) % PEOPLE}` } },
      best: { key: { slug: `note ${nth}` } },
    }))
    for (const [name, list] of Object.entries({ note: notes, person: people })) {
      const lines = list.map((each) => `${JSON.stringify(each)}\n`)
      writeFileSync(path.join(content, `${name}.ndjson`), lines.join(''))
    }
  })
  after(async () => {
    for (const name of databases) await client.db(name).dropDatabase()
    await client.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const environmentOf = (database: string): Record<string, string> => ({
    MONGODB_URI: uri,
    MONGODB_DATABASE: database,
    CONTENT_TYPES_DIR: path.join(folder, 'types'),
    QUIRE_DATA_DIR: path.join(folder, 'data'),
    QUERY_TIMEOUT_MS: '30000', // a busy machine is slow, which does not matter here
  })

  const start = (database: string): ChildProcess =>
    spawn(process.execPath, [CLI, 'apply', content, '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], ...environmentOf(database) },
    })

  const run = async (database: string, killAfterMs: number | null): Promise<Run> => {
    const child = start(database)
    const timer =
      killAfterMs === null ? null : setTimeout(() => void child.kill('SIGKILL'), killAfterMs)
    const [printed, [status]] = await Promise.all([
      child.stdout === null ? '' : text(child.stdout),
      once(child, 'close') as Promise<[number | null]>,
    ])
    if (timer !== null) clearTimeout(timer)
    return { status, counts: status === 0 ? countsOf(printed) : '' }
  }

  /** Created, updated and unchanged entries of all files. */
  const countsOf = (printed: string): string => {
    const files: readonly Document[] = Object.values(JSON.parse(printed).files)
    const sum = (name: string): number => files.reduce((all, each) => all + Number(each[name]), 0)
    return ['created', 'updated', 'unchanged'].map(sum).join(' ')
  }

  /** Creates a database that a server has started on once. */
  const open = async (): Promise<string> => {
    const name = `quire_test_kill_apply_${process.pid}_${databases.length}`
    databases.push(name)
    const services = await openServices({
      config: readConfig({ ...environmentOf(name), RATE_LIMIT: 'off' }),
      deployment: { uri },
      log: pino({ level: 'silent' }),
    })
    await services.close()
    return name
  }

  const everything = async (database: string): Promise<Document> => {
    const found: Document = {}
    for (const name of ['note_versions', 'person_versions']) {
      const rows = await client
        .db(database)
        .collection(name)
        .find({}, { sort: { _id: 1 } })
        .toArray()
      found[name] = rows.map((row) => {
        const own = Object.entries(row).filter(([member]) => !OF_A_RUN.includes(member))
        return Object.fromEntries(own)
      })
    }
    return found
  }

  it(`creates the same documents when it runs again after a kill at any point (${KILLS} points)`, async () => {
    const whole = await open()
    const began = performance.now()
    expect(await run(whole, null)).to.deep.equal({
      status: 0,
      counts: `${NOTES + PEOPLE} 0 0`,
    })
    const took = performance.now() - began
    const expected = await everything(whole)
    expect(expected['note_versions']).to.have.lengthOf(2 * NOTES)
    let [killed, begun] = [0, 0]
    for (let point = 1; point <= KILLS; point += 1) {
      const database = await open()
      if ((await run(database, (took * point) / (KILLS + 1))).status === null) killed += 1
      const left = await client.db(database).collection('note_versions').countDocuments()
      if (left > 0 && left < 2 * NOTES) begun += 1
      expect((await run(database, null)).status, `after point ${point}`).to.equal(0)
      expect(await everything(database), `after point ${point}`).to.deep.equal(expected)
    }
    const again = await run(databases.at(-1) ?? '', null)
    expect(again.counts).to.equal(`0 0 ${NOTES + PEOPLE}`)
    // If the machine was busier before, the run may finish before the kill.
    expect(killed).to.be.above(0)
    expect(begun).to.be.above(0)
  })
})
