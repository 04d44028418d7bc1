import { setTimeout as delay } from 'node:timers/promises'
import { type ClientSession, MongoError, MongoErrorLabel, type TransactionOptions } from 'mongodb'
import { CommitBehind } from './commit-record.ts'
import { isOutOfTime, isWriteConflict, WaitedForValue } from './database-error.ts'

export interface TransactionRun {
  readonly options: TransactionOptions
  /** No new attempt begins after that. */
  readonly timeoutMs: number
  /** Nor after another write has held the same document, or may have held the same value, for so long. */
  readonly conflictTimeoutMs: number
  /** Called at each attempt that fails while another write has held the same document or value for a second. */
  readonly onConflict: () => void
  /** Nothing is written: it ends without a commit, which an embedded engine would write to the disk. */
  readonly readsOnly?: boolean
}

/** Two that write one document are apart within milliseconds; what lasts longer was left by a process that was killed. */
const LASTING_MS = 1_000

/**
 * Runs `work` in a transaction and commits it; again where the database says that it may succeed next time, and only
 * the commit where it may have succeeded already. As the driver's `withTransaction` (7.8), which goes on for
 * two minutes: longer than who asked will wait.
 */
export async function runTransaction<T>(
  session: ClientSession,
  work: () => Promise<T>,
  run: TransactionRun,
): Promise<T> {
  const { options, timeoutMs } = run
  const deadline = performance.now() + timeoutMs
  const conflict = watchConflict(run)
  for (let attempt = 1; ; attempt += 1) {
    const beganMs = performance.now()
    session.startTransaction(options)
    try {
      const result = await work()
      await end(session, deadline, run)
      return result
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction()
      const mayRetry =
        error instanceof CommitBehind ||
        error instanceof WaitedForValue ||
        hasLabel(error, MongoErrorLabel.TransientTransactionError)
      if (!mayRetry || performance.now() >= deadline) throw error
      if (conflict.isLasting(error, attempt, beganMs)) throw error
    }
    await backOff(attempt)
  }
}

/**
 * Notices when one attempt after the other meets another write. A wait for a value has taken all the time of its
 * command: it is tried once more in any case.
 */
function watchConflict({ conflictTimeoutMs, onConflict }: TransactionRun) {
  let sinceMs: number | null = null
  return {
    isLasting: (error: unknown, attempt: number, beganMs: number): boolean => {
      const waited = error instanceof WaitedForValue
      const metMs = waited ? beganMs : performance.now()
      sinceMs = waited || isWriteConflict(error) ? (sinceMs ?? metMs) : null
      if (sinceMs === null) return false
      const lastedMs = performance.now() - sinceMs
      if (lastedMs >= LASTING_MS) onConflict()
      return lastedMs >= conflictTimeoutMs && !(waited && attempt === 1)
    },
  }
}

function end(
  session: ClientSession,
  deadline: number,
  { readsOnly = false }: TransactionRun,
): Promise<void> {
  return readsOnly ? session.abortTransaction() : commit(session, deadline)
}

/** A commit that is sent again says what became of the first, and commits nothing twice. */
async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await session.commitTransaction()
      return
    } catch (error) {
      const isUnknown = hasLabel(error, MongoErrorLabel.UnknownTransactionCommitResult)
      if (!isUnknown || isOutOfTime(error) || performance.now() >= deadline) throw error
    }
    await backOff(attempt)
  }
}

/** By chance and ever longer, so that those who collide do not go on colliding: the driver's own times. */
async function backOff(attempt: number): Promise<void> {
  await delay(Math.random() * Math.min(5 * 1.5 ** attempt, 500))
}

function hasLabel(error: unknown, label: MongoErrorLabel): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label)
}
