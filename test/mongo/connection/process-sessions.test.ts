import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { type DatabaseOptions, openDatabase } from '../../../src/mongo/connection/open-database.ts'
import type { ProcessRow } from '../../../src/mongo/connection/process-sessions.ts'
import { ensureIndexes } from '../../../src/mongo/system/system-collections.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy.ts'
import { type KeepingDatabase, startKeepingDatabase } from '../../faults/keeping-database.ts'
import { until } from '../../support/until.ts'
import { startOwnClock } from '../../support/own-clock.ts'

const BEAT_MS = 40
const LOST_MS = 300

describe('a process lost during a transaction', function () {
  this.slow(3_000)
  let keeping: KeepingDatabase
  let proxy: DatabaseProxy
  let databases: Database[]
  let commands: Document[]
  let lost: ProcessRow[]
  let name: string

  before(async () => {
    keeping = await startKeepingDatabase()
    proxy = await openDatabaseProxy(keeping.uri)
  })
  beforeEach(() => {
    name = `quire_test_lost_${randomBytes(4).toString('hex')}`
    databases = []
    commands = []
    lost = []
  })
  afterEach(async () => {
    proxy.open()
    const [first, ...others] = databases
    await Promise.all(others.map((database) => database.close()))
    await first?.command({ dropDatabase: 1 })
    await first?.close()
  })
  after(async () => {
    await proxy.close()
    await keeping.stop()
  })

  const open = async (options: Partial<DatabaseOptions> = {}): Promise<Database> => {
    const monitor = createCommandMonitor('totals')
    monitor.onCommand(({ command }) => commands.push(command))
    const database = await openDatabase({
      uri: keeping.uri,
      name,
      queryTimeoutMs: 10_000,
      processes: { beatMs: BEAT_MS, lostMs: LOST_MS },
      onLostProcess: (row) => lost.push(row),
      monitor,
      ...options,
    })
    databases.push(database)
    return database
  }
  const rowsOf = (database: Database) => database.collection<ProcessRow>('quire_processes')
  const kills = (): readonly Document[] => commands.filter((command) => 'killSessions' in command)
  /** Starts a transaction that writes `_id: 'a'` and waits for `go`. */
  const begin = async (database: Database): Promise<{ go: () => void; done: Promise<unknown> }> => {
    let go: () => void = () => undefined
    let isInside: () => void = () => undefined
    const told = new Promise<void>((resolve) => (go = resolve))
    const inside = new Promise<void>((resolve) => (isInside = resolve))
    const done = database.transact(async (session) => {
      const rows = database.collection<{ readonly _id: string; readonly by: string }>('rows')
      await rows.updateOne({ _id: 'a' }, { $set: { by: 'first' } }, { session, upsert: true })
      isInside()
      await told
    })
    await inside
    return { go, done }
  }
  const writeSame = (database: Database): Promise<unknown> =>
    database.transact((session) =>
      database
        .collection<{ readonly _id: string; readonly by: string }>('rows')
        .updateOne({ _id: 'a' }, { $set: { by: 'second' } }, { session, upsert: true }),
    )

  it('does not block others with its locks any longer', async () => {
    const other = await open()
    await ensureIndexes(other.table('rows'), [{ key: { by: 1 } }])
    await other.announce()
    const gone = await open({ uri: proxy.uri })
    const { go, done } = await begin(gone)
    const rows = await rowsOf(other).find({}).toArray()
    expect(rows).to.have.lengthOf(2)
    proxy.shut()
    const elapsedMs = startOwnClock()
    await writeSame(other)
    expect(elapsedMs(), 'ms').to.be.below(10_000)
    await until(() => Promise.resolve(lost.length === 1), 5_000)
    expect(rows.map(({ _id }) => _id)).to.include(lost[0]?._id)
    const [killed] = kills().map((command) => command['killSessions'] as readonly Document[])
    expect(killed?.map(({ id }) => id.toString('hex'))).to.deep.equal(
      lost[0]?.sessions.map((id) => id.toString('hex')),
    )
    go()
    await done.catch(() => undefined)
  })

  it('is not treated as lost while it is alive', async () => {
    // Longer than the pauses of a busy machine.
    const processes = { beatMs: BEAT_MS, lostMs: 2_000 }
    const other = await open({ processes })
    await ensureIndexes(other.table('rows'), [{ key: { by: 1 } }])
    await other.announce()
    const slow = await open({ processes })
    const { go, done } = await begin(slow)
    const beat = async (): Promise<number> =>
      (await rowsOf(other).find({}).toArray()).reduce((sum, row) => sum + row.beat, 0)
    const before = await beat()
    await until(async () => (await beat()) > before + 110, 60_000)
    go()
    await done
    expect([lost, kills()]).to.deep.equal([[], []])
  })

  it('registers again if its row was removed by mistake', async () => {
    const database = await open()
    await database.announce()
    const [row] = await rowsOf(database).find({}).toArray()
    await rowsOf(database).deleteMany({})
    await until(async () => (await rowsOf(database).countDocuments()) === 1, 5_000)
    expect((await rowsOf(database).findOne({}))?._id).to.equal(row?._id)
  })

  it('looks at its row again after the machine was suspended, which stops the monotonic clock', async () => {
    const database = await open({ processes: { beatMs: 3_600_000, lostMs: 60_000 } })
    await database.announce('one', () => Promise.resolve())
    expect(database.confirm()).to.equal(undefined)
    const { now } = Date
    try {
      Date.now = () => now() + 120_000
      await rowsOf(database).deleteMany({})
      const confirmed = database.confirm()
      expect(confirmed).to.be.instanceOf(Promise)
      await confirmed
      expect(await rowsOf(database).countDocuments()).to.equal(1)
      expect(database.confirm()).to.equal(undefined)
    } finally {
      Date.now = now
    }
    // Set back, the clock of the wall says nothing about the time since the last beat.
    expect(database.confirm()).to.equal(undefined)
  })

  it('checks each removal of its row, also one during an earlier check', async () => {
    const database = await open({ processes: { beatMs: BEAT_MS, lostMs: 60_000 } })
    let checks = 0
    let pass: () => void = () => undefined
    const first = new Promise<void>((resolve) => (pass = resolve))
    await database.announce('one', () => {
      checks += 1
      return checks === 1 ? first : Promise.reject(new Error('outdated'))
    })
    await rowsOf(database).deleteMany({})
    await until(() => Promise.resolve(checks === 1), 20_000)
    const isRefused = async (): Promise<boolean> => {
      try {
        await database.confirm()
        return false
      } catch (error) {
        return /outdated/.test(String(error))
      }
    }
    await rowsOf(database).deleteMany({})
    expect(await isRefused()).to.equal(true)
    pass()
    await first
    await new Promise(setImmediate)
    expect(await isRefused()).to.equal(true)
  })

  it('without sessions ends no sessions, because killing an empty list would kill all', async () => {
    const database = await open()
    const row = { _id: 'gone', host: 'elsewhere', pid: 1, beat: 7, sessions: [] }
    await rowsOf(database).insertOne(row)
    await database.announce()
    await until(() => Promise.resolve(lost.length === 1), 20_000)
    expect(kills()).to.deep.equal([])
    expect(await rowsOf(database).countDocuments({ _id: 'gone' })).to.equal(0)
  })

  it('is registered once per driver session and unregistered when the database closes', async () => {
    const other = await open()
    const database = await open()
    await ensureIndexes(database.table('rows'), [{ key: { by: 1 } }])
    const add = (): Promise<unknown> =>
      database.transact((session) => database.collection('rows').insertOne({}, { session }))
    await Promise.all([add(), add(), add()])
    for (let more = 0; more < 5; more += 1) await add()
    const [row] = await rowsOf(other).find({}).toArray()
    const used = commands.filter(({ commitTransaction }) => commitTransaction !== undefined)
    const ids = new Set(used.map(({ lsid }) => String(lsid.id.toString('hex'))))
    expect(new Set(row?.sessions.map((id) => id.toString('hex')))).to.deep.equal(ids)
    await database.close()
    expect(await rowsOf(other).countDocuments()).to.equal(0)
  })
})
