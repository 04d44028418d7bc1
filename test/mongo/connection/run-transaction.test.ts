import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { GatewayTimeoutError, ServiceUnavailableError } from '../../../src/base/errors.ts'
import {
  type Database,
  openDatabase,
  type Session,
} from '../../../src/mongo/connection/database.ts'
import { isOutOfTime, WaitedForValue } from '../../../src/mongo/connection/database-error.ts'
import { ensureIndexes } from '../../../src/mongo/system/system-collections.ts'
import { type FaultProxy, openFaultProxy, type WireFault } from '../../faults/fault-proxy.ts'
import { testUri } from '../../support/test-database.ts'

const TIMEOUT_MS = 300
/** Enough for a single conflict on a busy machine. */
const CONFLICT_MS = 5_000

describe('a transaction', () => {
  let proxy: FaultProxy
  let database: Database
  /** With the time that is usual: after a lost answer the driver may not look for a server again for half a second. */
  let patient: Database
  /** Gives up at the first conflict. */
  let hasty: Database

  before(async () => {
    proxy = await openFaultProxy(await testUri())
    database = await openDatabase({
      uri: proxy.uri,
      name: `quire_test_transaction_${randomBytes(4).toString('hex')}`,
      queryTimeoutMs: 10_000,
      transactionTimeoutMs: TIMEOUT_MS,
      conflictTimeoutMs: CONFLICT_MS,
    })
    patient = await openDatabase({
      uri: proxy.uri,
      name: database.collection('rows').dbName,
      queryTimeoutMs: 10_000,
      conflictTimeoutMs: TIMEOUT_MS,
    })
    hasty = await openDatabase({
      uri: proxy.uri,
      name: database.collection('rows').dbName,
      queryTimeoutMs: 10_000,
      conflictTimeoutMs: 0,
    })
    await ensureIndexes(database.collection('rows'), [{ key: { of: 1 } }])
  })
  afterEach(() => proxy.disarm())
  after(async () => {
    await database.command({ dropDatabase: 1 })
    await database.close()
    await patient.close()
    await hasty.close()
    await proxy.close()
  })

  const failing = (code: number, labels: readonly string[]): WireFault['answer'] => {
    return () => ({ ok: 0, code, errmsg: 'told to fail', errorLabels: [...labels] })
  }
  const CONFLICT: WireFault = {
    fate: 'aborted',
    answer: failing(112, ['TransientTransactionError']),
  }
  const OUT_OF_TIME: WireFault = { fate: 'aborted', answer: failing(50, []) }
  const UNKNOWN: WireFault = {
    fate: 'carried out',
    answer: failing(91, ['UnknownTransactionCommitResult', 'RetryableWriteError']),
  }
  const isCommit = (command: Document): boolean => 'commitTransaction' in command

  interface Inserting {
    runs: number
    /** When each run began, in milliseconds. */
    readonly begun: number[]
    readonly work: (session: Session) => Promise<void>
  }

  /** Inserts two rows, and counts how often it was asked to. */
  const inserting = (of: string, by = database): Inserting => {
    const counted: Inserting = {
      runs: 0,
      begun: [],
      work: async (session: Session) => {
        counted.runs += 1
        counted.begun.push(performance.now())
        await by.collection('rows').insertOne({ of }, { session })
        await by.collection('rows').insertOne({ of }, { session })
      },
    }
    return counted
  }
  const stored = (of: string): Promise<number> => database.collection('rows').countDocuments({ of })
  /** It takes at least the time that it is given. */
  const failureOf = async (work: Promise<void>): Promise<unknown> => {
    const started = performance.now()
    const failure: unknown = await work.then(
      () => null,
      (error: unknown) => error,
    )
    expect(performance.now() - started, 'ms').to.be.at.least(TIMEOUT_MS)
    return failure
  }
  /** No attempt begins after one that failed past the deadline, so all but the last one began before it. */
  const expectInTime = (first: number, earlier: number | undefined, timeoutMs: number): void => {
    expect((earlier ?? first) - first, 'ms').to.be.below(timeoutMs)
  }
  /** A first attempt that takes all the time on a busy machine leaves none for another: it runs anew until one is left. */
  const untilRunAgain = async (
    of: string,
    by: Database,
    timeoutMs: number,
  ): Promise<{ rows: Inserting; failure: unknown }> => {
    const rows = inserting(of, by)
    let conflictAt = 0
    proxy.arm((command) => {
      if (command['autocommit'] !== false) return null
      if (rows.runs === 1) conflictAt = performance.now()
      return CONFLICT
    })
    const failure = await failureOf(by.transact(rows.work))
    proxy.disarm()
    const first = rows.begun[0] ?? 0
    expectInTime(first, rows.begun.at(-2), timeoutMs)
    if (rows.runs === 1 && conflictAt - first > timeoutMs / 2)
      return untilRunAgain(of, by, timeoutMs)
    return { rows, failure }
  }

  it('runs again after a conflict', async () => {
    const rows = inserting('a conflict')
    proxy.arm((_command, position) => (position === 2 ? CONFLICT : null))
    await database.transact(rows.work)
    proxy.disarm()
    expect([rows.runs, await stored('a conflict')]).to.deep.equal([2, 2])
  })

  it('runs again after a deadlock of DocumentDB, which has no label', async () => {
    const rows = inserting('a deadlock')
    const writeErrors = [{ index: 0, code: 1, errmsg: 'deadlock detected' }]
    const deadlock: WireFault = { fate: 'aborted', answer: () => ({ ok: 1, n: 0, writeErrors }) }
    proxy.arm((_command, position) => (position === 2 ? deadlock : null))
    await database.transact(rows.work)
    proxy.disarm()
    expect([rows.runs, await stored('a deadlock')]).to.deep.equal([2, 2])
  })

  /** As a write of a unique value does, whose commands are out of time. */
  const waiting = (of: string, by: Database) => {
    const rows = inserting(of, by)
    const work = (session: Session): Promise<void> =>
      rows.work(session).catch((error: unknown) => {
        throw isOutOfTime(error) ? new WaitedForValue(error) : error
      })
    return { rows, work }
  }

  it('runs once more where another transaction may have held a value for all its time', async () => {
    const { rows, work } = waiting('a value', hasty)
    proxy.arm((_command, position) => (position === 2 ? OUT_OF_TIME : null))
    await hasty.transact(work)
    expect([rows.runs, await stored('a value')]).to.deep.equal([2, 2])

    proxy.arm((command) => ('insert' in command ? OUT_OF_TIME : null))
    const failure: unknown = await hasty.transact(work).catch((error: unknown) => error)
    proxy.disarm()
    expect(failure).to.be.instanceOf(GatewayTimeoutError)
    expect(rows.runs).to.equal(4)
  })

  it('goes on to wait for a value for as long as for a document', async () => {
    const { rows, work } = waiting('a value of one killed', patient)
    let left = 3
    proxy.arm((command) => {
      if (!('insert' in command) || left === 0) return null
      left -= 1
      return OUT_OF_TIME
    })
    await patient.transact(work)
    proxy.disarm()
    expect([rows.runs, await stored('a value of one killed')]).to.deep.equal([4, 2])
  })

  it('is a 503 soon when the conflict lasts', async () => {
    const { rows, failure } = await untilRunAgain('conflicts', database, CONFLICT_MS)
    expect(failure).to.be.instanceOf(ServiceUnavailableError)
    expect(rows.runs).to.be.greaterThan(1)
    expect(await stored('conflicts')).to.equal(0)
  })

  it('says what it is when the conflict lasts, long before it would give up otherwise', async () => {
    const { failure } = await untilRunAgain('long conflicts', patient, TIMEOUT_MS)
    expect(failure).to.be.instanceOf(ServiceUnavailableError)
    expect(failure).to.include({ message: 'Another write holds this document' })
  })

  it('is not run again when only the answer to its commit is lost', async () => {
    const rows = inserting('a commit', patient)
    let lost = 0
    proxy.arm((command) => {
      if (!isCommit(command) || lost === 3) return null
      lost += 1
      return UNKNOWN
    })
    await patient.transact(rows.work)
    proxy.disarm()
    expect([rows.runs, lost, await stored('a commit')]).to.deep.equal([1, 3, 2])
  })

  it('is a 503 soon when it is not told what became of its commit', async () => {
    const rows = inserting('commits')
    const commits: number[] = []
    proxy.arm((command) => {
      if (!isCommit(command)) return null
      commits.push(performance.now())
      return UNKNOWN
    })
    expect(await failureOf(database.transact(rows.work))).to.be.instanceOf(ServiceUnavailableError)
    proxy.disarm()
    expectInTime(rows.begun[0] ?? 0, commits.at(-3), TIMEOUT_MS) // the driver sends the last one twice
    expect([rows.runs, await stored('commits')]).to.deep.equal([1, 2])
  })

  it('is over with what its work throws, and leaves nothing', async () => {
    const rows = inserting('a refusal')
    const refusal = new Error('refused')
    const work = database.transact(async (session) => {
      await rows.work(session)
      throw refusal
    })
    expect(await work.catch((error: unknown) => error)).to.equal(refusal)
    expect([rows.runs, await stored('a refusal')]).to.deep.equal([1, 0])
  })
})
