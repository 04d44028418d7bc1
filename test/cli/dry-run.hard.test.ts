import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type Document, MongoClient } from 'mongodb'
import { declare, serve, type TestServer } from '../support/server.ts'

const CLI = fileURLToPath(new URL('../../src/cli/cli.js', import.meta.url))

const things = (attributes: object) => ({ thing: declare('thing', attributes) })
const SOURCE = things({ name: { type: 'string' }, code: { type: 'string' } })
/** `code` is unique on the target but not in the declarations next to the command. */
const TARGET = things({ name: { type: 'string' }, code: { type: 'string', unique: true } })

describe('writes of commands to the database', () => {
  let source: TestServer
  let target: TestServer
  let client: MongoClient
  let folder: string
  const fresh = `quire_test_dry_run_${process.pid}`

  before(async () => {
    source = await serve('dry_source', { contentTypes: SOURCE, locales: ['fr'] })
    await source.post('/api/things', { name: 'a', code: 'one' })
    await source.post('/api/things', { name: 'b', code: 'one' })
    target = await serve('dry_target', { contentTypes: TARGET })
    await target.post('/api/things', { name: 'mine', code: 'mine' })
    client = await MongoClient.connect(target.uri)
    folder = mkdtempSync(path.join(tmpdir(), 'quire-dry-'))
    writeFileSync(path.join(folder, 'thing.json'), JSON.stringify(SOURCE.thing))
  })
  after(async () => {
    await client.db(fresh).dropDatabase()
    await client.close()
    await source.close()
    await target.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function quire(
    database: string,
    ...words: readonly string[]
  ): Promise<{ readonly status: number | null; readonly said: string }> {
    const child = spawn(process.execPath, [CLI, ...words], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        CONTENT_TYPES_DIR: folder,
        MONGODB_URI: target.uri,
        MONGODB_DATABASE: database,
        QUIRE_DATA_DIR: path.join(folder, 'data'),
      },
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => void (said += chunk.toString()))
    }
    const [status] = (await once(child, 'close')) as [number | null]
    return { status, said }
  }

  /** Returns all rows and indexes of a database, without the heartbeat of running servers. */
  async function contentsOf(name: string): Promise<Document> {
    const db = client.db(name)
    const contents: Document = {}
    for (const collection of await db.listCollections({}, { nameOnly: true }).toArray()) {
      const rows = await db
        .collection(collection.name)
        .find({}, { sort: { _id: 1 }, projection: { beat: 0 } })
        .toArray()
      contents[collection.name] = { rows, indexes: await indexesOf(name, collection.name) }
    }
    return contents
  }

  const indexesOf = (name: string, collection: string): Promise<readonly Document[]> =>
    client.db(name).collection(collection).listIndexes().toArray()

  const address = (): string => `http://127.0.0.1:${source.port}`
  const importing = (...options: readonly string[]): readonly string[] => [
    'import',
    'url',
    address(),
    '--token',
    'root-token-of-the-test',
    ...options,
  ]

  it('writes no data in a dry run, even if declarations differ', async () => {
    const before = await contentsOf(target.database)
    const { status, said } = await quire(target.database, ...importing('--dry-run'))
    expect(status, said).to.equal(0)
    expect(said).to.match(/api::thing\.thing +2 +0\n/)
    expect(await contentsOf(target.database)).to.deep.equal(before)
  })

  it('creates no database in a dry run', async () => {
    const { status, said } = await quire(fresh, ...importing('--dry-run'))
    expect(status, said).to.equal(0)
    expect(await contentsOf(fresh)).to.deep.equal({})
    expect(await readdir(folder)).to.deep.equal(['thing.json'])
  })

  for (const [label, database] of [
    ['indexes differ from the declarations', () => target.database],
    ['no server has ever started on the database', () => fresh],
  ] as const) {
    it(`refuses an import and changes no data if ${label}`, async () => {
      const before = await contentsOf(database())
      const { status, said } = await quire(database(), ...importing())
      expect(status, said).to.equal(1)
      expect(said).to.match(/thing_versions.* start the server once/s)
      expect(await contentsOf(database())).to.deep.equal(before)
    })
  }

  it('keeps content indexes in all other commands', async () => {
    const before = await indexesOf(target.database, 'thing_versions')
    for (const words of [
      ['locale', 'add', 'de'],
      ['token', 'create', 'app', '--type', 'read-only'],
      ['role', 'grant', 'public', 'api::thing.thing.find'],
      ['media', 'check'],
      ['doctor'],
    ]) {
      await quire(target.database, ...words)
    }
    expect(await indexesOf(target.database, 'thing_versions')).to.deep.equal(before)
  })
})
