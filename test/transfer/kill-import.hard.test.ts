import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type Document, MongoClient } from 'mongodb'
import { pino } from 'pino'
import { readConfig } from '../../src/base/config/config.ts'
import { openServices } from '../../src/server/services/open-services.ts'
import { testUri } from '../support/test-database.ts'
import { differing, readEverything } from './read-everything.ts'

const CLI = fileURLToPath(new URL('../../src/cli/cli.js', import.meta.url))
const ARCHIVES =
  process.env['STRAPI_ARCHIVE_DIR'] ??
  fileURLToPath(new URL('../../../../shared/strapi-archive', import.meta.url))

/** Number of evenly spaced kill points. */
const KILLS = Number(process.env['QUIRE_ARCHIVE_KILLS'] ?? 3)

interface Place {
  readonly database: string
  readonly folder: string
}

describe('a killed import of an archive', () => {
  let uri: string
  let client: MongoClient
  const places: Place[] = []

  before(async function () {
    if (!existsSync(path.join(ARCHIVES, 'export.tar.gz'))) this.skip()
    uri = await testUri()
    client = await MongoClient.connect(uri)
  })
  after(async () => {
    if (places.length === 0) return
    for (const { database, folder } of places) {
      await client.db(database).dropDatabase()
      rmSync(folder, { recursive: true, force: true })
    }
    await client.close()
  })

  const environmentOf = ({ database, folder }: Place): Record<string, string> => ({
    CONTENT_TYPES_DIR: path.join(ARCHIVES, 'content-types'),
    QUIRE_DATA_DIR: folder,
    MONGODB_DATABASE: database,
    JWT_SECRET: 'secret-of-the-test',
  })

  /** Creates a database that a server has started on once. */
  const open = async (): Promise<Place> => {
    const folder = mkdtempSync(path.join(tmpdir(), 'quire-kill-import-'))
    const place = { database: `quire_test_kill_import_${process.pid}_${places.length}`, folder }
    places.push(place)
    const config = readConfig({ ...environmentOf(place), RATE_LIMIT: 'off' })
    const services = await openServices({
      config,
      deployment: { uri },
      log: pino({ level: 'silent' }),
    })
    await services.close()
    return place
  }

  const start = (place: Place): ChildProcess =>
    spawn(process.execPath, [CLI, 'import', 'archive', path.join(ARCHIVES, 'export.tar.gz')], {
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], MONGODB_URI: uri, ...environmentOf(place) },
    })

  /** Returns the exit status, or null if the process was killed. */
  const run = async (place: Place, killAfterMs: number | null): Promise<number | null> => {
    const child = start(place)
    const timer =
      killAfterMs === null ? null : setTimeout(() => void child.kill('SIGKILL'), killAfterMs)
    const [status] = (await once(child, 'close')) as [number | null]
    if (timer !== null) clearTimeout(timer)
    return status
  }

  const everything = ({ database, folder }: Place): Promise<Document> =>
    readEverything(client.db(database), folder)

  it(`creates the same database when it runs again after a kill at any point (${KILLS} points)`, async () => {
    const whole = await open()
    const began = performance.now()
    expect(await run(whole, null)).to.equal(0)
    const took = performance.now() - began
    const expected = await everything(whole)
    expect(expected['articles']).to.have.lengthOf(262)
    expect(expected['files on disk'].length).to.be.above(50)
    let killed = 0
    for (let point = 1; point <= KILLS; point += 1) {
      const place = await open()
      if ((await run(place, (took * point) / (KILLS + 1))) === null) killed += 1
      expect(await run(place, null), `after point ${point}`).to.equal(0)
      const found = await everything(place)
      for (const [name, rows] of Object.entries(expected)) {
        const different = differing(found[name], rows)
        expect(different, `${name} after point ${point}:\n${different.join('\n')}`).to.be.empty
      }
    }
    // If the machine was busier before, the run may finish before the kill.
    expect(killed).to.be.above(0)
  })
})
