import {
  MongoBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoUnexpectedServerResponseError,
} from 'mongodb'
import {
  type ErrorCode,
  GatewayTimeoutError,
  ServiceUnavailableError,
  ValidationError,
} from '../../errors.ts'
import { CLIENT_SENTENCES, failureOf } from './connection-failure.ts'

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const MAX_TIME_EXPIRED = 50
const WRITE_CONCERN_FAILED = 64
/** ExceededMemoryLimit, QueryExceededMemoryLimitNoDiskUseAllowed: a sort or a group of a question that is too dear. */
const OUT_OF_MEMORY: ReadonlySet<unknown> = new Set([146, 292])
const DUPLICATE_KEY = 11000
const BAD_VALUE = 2
const WRITE_CONFLICT = 112
const LOCK_TIMEOUT = 24

/** Why a command cannot be carried out now, where the database says it. */
const CANNOT_RUN: ReadonlyMap<unknown, readonly [message: string, code: ErrorCode]> = new Map([
  [14031, ['The database has no space left', 'database_not_writable']],
  // FileStreamFailed of the embedded engine (`packages/engine/src/errors.ts`)
  [39, ['The database cannot write to its disk', 'database_not_writable']],
  [WRITE_CONFLICT, ['Another write holds this document', 'write_conflict']],
  [LOCK_TIMEOUT, ['The collection is locked, as while an index is built', 'write_conflict']],
  // MongoDB before 5.1: the collection that a `$lookup` reads is sharded.
  [28769, ['The database is too old for sharded content: MongoDB 6.0 is needed', 'unavailable']],
])

/** A server that shuts down, steps down, is stepping up, or is none that writes. */
const CHANGING_PRIMARY: ReadonlySet<number> = new Set([
  91, 189, 10107, 11600, 11602, 13435, 13436, 13388,
])
const EXCEEDED_TIME_LIMIT = 262

/** Asked to go on with a list by a client that another server, or the same before it was restarted, gave it to. */
const CURSOR_NOT_FOUND = 43

const QUERY_PLAN_KILLED = 175

/** QueryPlanKilled, SnapshotTooOld, SnapshotUnavailable: the collection or its indexes changed during the read. */
const READ_ENDED: ReadonlySet<unknown> = new Set([QUERY_PLAN_KILLED, 239, 246])

/**
 * By its words alone driver 7.8 tells what it finds where a server goes while a write is sent again
 * (`executeOperationWithRetries`: selected, and unknown by the time that it is looked at), or before it answers.
 */
const LOST_SERVER: ReadonlySet<string> = new Set([
  'Selected server does not support retryable writes',
  'Unable to get response from server',
])

/** Not exported by driver 7.8. */
const WAIT_QUEUE_TIMEOUT = 'MongoWaitQueueTimeoutError'

/** Servers that go, come or are not yet (or no longer) the primary: the request may be tried again. */
const UNAVAILABLE_CODES: ReadonlySet<unknown> = new Set([
  ...READ_ENDED,
  6,
  7,
  CURSOR_NOT_FOUND,
  89,
  91,
  189,
  262,
  9001,
  10107,
  11600,
  11602,
  13388,
  13435,
  13436,
])

/**
 * What a client may see of a database's failure: 503 when it cannot be reached, cannot write, or another write
 * holds what this one changes; 504 when it was too slow or too large; 400 for an order by two lists. Everything else comes back as it is: an error of ours, or a bug. None says that nothing
 * was written: a write may be stored that no majority has confirmed yet, or whose answer was lost.
 */
export function toCmsError(error: unknown): unknown {
  if (isBrokenSocket(error)) return unavailable(error)
  if (error instanceof WaitedForValue) return ofMongo(error.cause)
  // Bulk writes of driver 7.8 wrap all errors, failures to reach a server included.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof MongoError) {
    return ofMongo(error.errorResponse)
  }
  return error instanceof MongoError ? ofMongo(error) : error
}

function ofMongo(error: MongoError): unknown {
  if (isOutOfTime(error)) {
    return new GatewayTimeoutError('The query took too long', {}, { cause: error })
  }
  if (OUT_OF_MEMORY.has(error.code)) {
    return new GatewayTimeoutError(
      'The query exceeds the memory limit of the database',
      {},
      { cause: error, code: 'query_too_large' },
    )
  }
  if (error instanceof MongoServerError && error.code === WRITE_CONCERN_FAILED) {
    return new GatewayTimeoutError(
      'The write was not confirmed in time',
      {},
      { cause: error, code: 'write_unconfirmed' },
    )
  }
  if (isSortByLists(error)) {
    return new ValidationError(SORT_BY_LISTS, {}, { cause: error, code: 'invalid_query' })
  }
  const cannotRun = CANNOT_RUN.get(isDeadlock(error) ? WRITE_CONFLICT : error.code)
  if (cannotRun !== undefined) {
    const [message, code] = cannotRun
    return new ServiceUnavailableError(message, {}, { cause: error, code })
  }
  if (isUnavailable(error) || LABELS.some((label) => error.hasErrorLabel(label))) {
    return unavailable(error)
  }
  return error
}

/** Each as what it is: only what does not answer at all cannot be reached. */
function unavailable(error: Error): ServiceUnavailableError {
  const { sentence, code = 'database_unreachable' } = describe(error)
  return new ServiceUnavailableError(sentence, {}, { cause: error, code })
}

interface Description {
  readonly sentence: string
  readonly code?: ErrorCode
}

function describe(error: Error): Description {
  const kind = failureOf(error)
  if (kind !== null) return { sentence: CLIENT_SENTENCES[kind] ?? UNREACHABLE }
  if (error.name === WAIT_QUEUE_TIMEOUT) {
    return { sentence: 'The database is busy: no connection became free', code: 'database_busy' }
  }
  return error instanceof MongoError ? describeAnswer(error) : { sentence: UNREACHABLE }
}

function describeAnswer(error: MongoError): Description {
  if (error.code === CURSOR_NOT_FOUND) {
    return { sentence: 'The database was restarted while it was read' }
  }
  if (READ_ENDED.has(error.code)) {
    return {
      sentence: 'The database ended the read: an index was built or removed',
      code: 'database_busy',
    }
  }
  if (error instanceof MongoServerError && isChangingPrimary(error)) {
    return { sentence: 'The database is changing its primary' }
  }
  if (error.hasErrorLabel(MongoErrorLabel.UnknownTransactionCommitResult)) {
    const sentence = 'The database did not say whether it stored the write'
    return { sentence, code: 'write_unconfirmed' }
  }
  return isBusy(error)
    ? {
        sentence: 'The database is busy: other writes hold what this one needs',
        code: 'database_busy',
      }
    : { sentence: UNREACHABLE }
}

const UNREACHABLE = 'The database cannot be reached'

function isSortByLists({ code, message }: MongoError): boolean {
  return code === BAD_VALUE && message.includes('parallel arrays')
}

const SORT_BY_LISTS = 'sort: two of the attributes hold lists in one entry; sort by one of them'

function isChangingPrimary({ code }: MongoServerError): boolean {
  return typeof code === 'number' && CHANGING_PRIMARY.has(code)
}

function isBusy(error: MongoError): boolean {
  if (error.code === EXCEEDED_TIME_LIMIT) return true
  return (
    error instanceof MongoServerError &&
    error.hasErrorLabel(MongoErrorLabel.TransientTransactionError)
  )
}

/**
 * Runs what asks the database outside of a transaction; within one a driver's error must reach the driver as
 * it is (`inSession`).
 * @throws CmsError for what the database refuses (`toCmsError`); what `work` throws otherwise.
 */
export async function asCmsErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toCmsError(error)
  }
}

/** What Node says of a socket that the other side has just closed: driver 7.8 passes it on where it writes. */
export function isBrokenSocket(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && BROKEN_SOCKET_CODES.has(error.code)
}

const BROKEN_SOCKET_CODES: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ECONNREFUSED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
])

/**
 * A write of a unique value was out of time: its transaction is tried once more. MongoDB answers such a write at once;
 * DocumentDB lets it wait for the other's transaction, and several that wait for each other do so for all their time.
 */
export class WaitedForValue extends Error {
  declare readonly cause: MongoServerError

  constructor(cause: MongoServerError) {
    super('Another transaction may hold the value', { cause })
    this.name = 'WaitedForValue'
  }
}

/** A command that ended because the collection or its indexes changed meanwhile. It succeeds when it is sent again. */
export function isPlanKilled(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === QUERY_PLAN_KILLED
}

/** A command that ran longer than it may, or waited so long for a majority. */
export function isOutOfTime(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED
}

/** A write of what another transaction has written, and has not committed. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === WRITE_CONFLICT
}

/** A conflict with a release that is about to lock the document. The writer lets it pass. */
export class HeldByRelease extends MongoServerError {
  constructor() {
    super({
      message: 'A release is about to lock this document',
      code: WRITE_CONFLICT,
      errorLabels: [MongoErrorLabel.TransientTransactionError],
    })
  }
}

/** A write that an index refused, be it that of `_id`: another has the value. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY
}

/** The index that refused a write, as far as the database says which. */
export interface RefusingIndex {
  readonly paths: readonly string[]
  readonly name: string | null
}

/**
 * Which index found a duplicate. `keyPattern` is documented for code 11000, but mongos passes it on of `findAndModify` alone
 * (seen on 4.9), and DocumentDB of nothing; the message names the index before it says anything that a client sent.
 */
export function refusingIndex(error: MongoServerError): RefusingIndex {
  const [, name = null] = /\bindex: (\S+)/.exec(error.message) ?? []
  return { paths: Object.keys((error['keyPattern'] ?? {}) as object), name }
}

/**
 * Two transactions that waited for each other. MongoDB tells it as a WriteConflict with the label by which
 * the driver tries again; DocumentDB (seen behind its gateway in 2026) as code 1, and by its words alone.
 */
export function isDeadlock(error: unknown): boolean {
  return (
    error instanceof MongoServerError &&
    error.code === 1 &&
    error.message.includes('deadlock detected')
  )
}

/** A transaction that might succeed next time, and has been tried for long enough. */
const LABELS = [
  MongoErrorLabel.TransientTransactionError,
  MongoErrorLabel.UnknownTransactionCommitResult,
] as const

function isUnavailable(error: MongoError): boolean {
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError ||
    (error instanceof MongoUnexpectedServerResponseError && LOST_SERVER.has(error.message)) ||
    error.name === WAIT_QUEUE_TIMEOUT ||
    failureOf(error) !== null ||
    (error instanceof MongoServerError && UNAVAILABLE_CODES.has(error.code))
  )
}
