import { expect } from 'chai'
import { type DocumentDb, startDocumentDb } from './documentdb.ts'
import { type LoadedServers, startLoadedServers } from './loaded-servers.ts'

const SCRIPTS = process.env['QUIRE_TEST_DOCUMENTDB'] ?? ''
const KILLS = Number(process.env['QUIRE_TEST_DATABASE_KILLS'] ?? 3)
/** Counted from the first response of the database: heartbeats, connections and retries. */
const RECOVERY_MS = 30_000
const MAX_WAIT_MS = 90_000

const reason = SCRIPTS === '' ? ' (skipped: QUIRE_TEST_DOCUMENTDB names no scripts)' : ''

describe(`a database server that is killed under load${reason}`, function () {
  this.timeout(300_000 + KILLS * 180_000)
  let documentDb: DocumentDb | null = null
  let servers: LoadedServers | null = null

  before(async function () {
    if (SCRIPTS !== '') documentDb = await startDocumentDb(SCRIPTS)
    if (documentDb === null) this.skip()
  })

  after(async () => {
    await servers?.remove()
    await documentDb?.stop()
  })

  it(`loses no acknowledged write, and reconnects, ${KILLS} times`, async () => {
    if (documentDb === null) throw new Error('no database')
    servers = await startLoadedServers(documentDb.uri)
    for (let kill = 0; kill < KILLS; kill += 1) {
      await servers.untilServed(100, MAX_WAIT_MS)
      await documentDb.crash()
      await servers.untilMissed(10, MAX_WAIT_MS)
      await documentDb.start()
      await servers.untilServed(20, RECOVERY_MS)
    }
    expect(await servers.faults()).to.deep.equal([])
  })
})
