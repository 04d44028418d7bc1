import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { GatewayTimeoutError, ServiceUnavailableError } from '../../../src/base/errors.ts'
import type { Database, Session } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
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
  /** Uses the default timeout, because the driver may pause server selection for half a second after a lost reply. */
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
    await ensureIndexes(database.table('rows'), [{ key: { of: 1 } }])
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
    /** Start of each run in milliseconds. */
    readonly begun: number[]
    readonly work: (session: Session) => Promise<void>
  }

  /** Inserts two rows and counts its runs. */
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
  /** Checks that the work takes at least the given time. */
  const failureOf = async (work: Promise<void>): Promise<unknown> => {
    const started = performance.now()
    const failure: unknown = await work.then(
      () => null,
      (error: unknown) => error,
    )
    expect(performance.now() - started, 'ms').to.be.at.least(TIMEOUT_MS)
    return failure
  }
  /** No attempt starts after one that failed past the deadline, so all but the last one started before it. */
  const expectInTime = (first: number, earlier: number | undefined, timeoutMs: number): void => {
    expect((earlier ?? first) - first, 'ms').to.be.below(timeoutMs)
  }
  /** On a busy machine the first attempt may use up all the time. Repeats until a second attempt happens. */
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

  it('retries after a conflict', async () => {
    const rows = inserting('a conflict')
    proxy.arm((_command, position) => (position === 2 ? CONFLICT : null))
    await database.transact(rows.work)
    proxy.disarm()
    expect([rows.runs, await stored('a conflict')]).to.deep.equal([2, 2])
  })

  it('retries after a DocumentDB deadlock, which has no label', async () => {
    const rows = inserting('a deadlock')
    const writeErrors = [{ index: 0, code: 1, errmsg: 'deadlock detected' }]
    const deadlock: WireFault = { fate: 'aborted', answer: () => ({ ok: 1, n: 0, writeErrors }) }
    proxy.arm((_command, position) => (position === 2 ? deadlock : null))
    await database.transact(rows.work)
    proxy.disarm()
    expect([rows.runs, await stored('a deadlock')]).to.deep.equal([2, 2])
  })

  /** Like a write of a unique value whose commands time out. */
  const waiting = (of: string, by: Database) => {
    const rows = inserting(of, by)
    const work = (session: Session): Promise<void> =>
      rows.work(session).catch((error: unknown) => {
        throw isOutOfTime(error) ? new WaitedForValue(error) : error
      })
    return { rows, work }
  }

  it('retries once if another transaction may hold a value for its whole time', async () => {
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

  it('waits for a value as long as for a document', async () => {
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

  it('fails with 503 before long if the conflict persists', async () => {
    const { rows, failure } = await untilRunAgain('conflicts', database, CONFLICT_MS)
    expect(failure).to.be.instanceOf(ServiceUnavailableError)
    expect(rows.runs).to.be.greaterThan(1)
    expect(await stored('conflicts')).to.equal(0)
  })

  it('names a persistent conflict long before its own deadline', async () => {
    const { failure } = await untilRunAgain('long conflicts', patient, TIMEOUT_MS)
    expect(failure).to.be.instanceOf(ServiceUnavailableError)
    expect(failure).to.include({ message: 'Another write holds this document' })
  })

  it('does not run again if only the reply to its commit is lost', async () => {
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

  it('fails with 503 before long if the outcome of its commit stays unknown', async () => {
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

  it('rolls back and throws the error of its work', async () => {
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
