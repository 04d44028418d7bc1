import {
  type ClientSession,
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
import type { ErrorCode } from '../../base/error-codes.ts'
import {
  GatewayTimeoutError,
  PayloadTooLargeError,
  ServiceUnavailableError,
  ValidationError,
} from '../../base/errors.ts'
import { CLIENT_SENTENCES, failureOf } from './connection-failure.ts'

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const MAX_TIME_EXPIRED = 50
const WRITE_CONCERN_FAILED = 64
/** ExceededMemoryLimit, QueryExceededMemoryLimitNoDiskUseAllowed: the sort or group is too large. */
const OUT_OF_MEMORY: ReadonlySet<unknown> = new Set([146, 292])
/** BSONObjectTooLarge, and two more for updates: a document would exceed 16 MB. */
const TOO_LARGE: ReadonlySet<unknown> = new Set([10334, 17419, 17420])
const DUPLICATE_KEY = 11000
const BAD_VALUE = 2
const WRITE_CONFLICT = 112
const LOCK_TIMEOUT = 24

const CANNOT_RUN: ReadonlyMap<unknown, readonly [message: string, code: ErrorCode]> = new Map([
  [14031, ['The database has no space left', 'database_not_writable']],
  // FileStreamFailed of the embedded engine (`packages/engine/src/errors.ts`)
  [39, ['The database cannot write to its disk', 'database_not_writable']],
  [WRITE_CONFLICT, ['Another write holds this document', 'write_conflict']],
  [LOCK_TIMEOUT, ['The collection is locked, as while an index is built', 'write_conflict']],
  // MongoDB before 5.1 cannot read sharded collections with `$lookup`.
  [28769, ['The database is too old for sharded content: MongoDB 6.0 is needed', 'unavailable']],
])

/** The server is shutting down, stepping down or stepping up, or is not a primary. */
const CHANGING_PRIMARY: ReadonlySet<number> = new Set([
  91, 189, 10107, 11600, 11602, 13435, 13436, 13388,
])
const EXCEEDED_TIME_LIMIT = 262

/** The cursor belongs to another server, or the server was restarted. */
const CURSOR_NOT_FOUND = 43

const QUERY_PLAN_KILLED = 175

/** QueryPlanKilled, SnapshotTooOld, SnapshotUnavailable: the collection or its indexes changed during the read. */
const READ_ENDED: ReadonlySet<unknown> = new Set([QUERY_PLAN_KILLED, 239, 246])

/** Errors of driver 7.8 that have no code, for a server lost before its reply or during a retry of a write. */
const LOST_SERVER: ReadonlySet<string> = new Set([
  'Selected server does not support retryable writes',
  'Unable to get response from server',
])

const WAIT_QUEUE_TIMEOUT = 'MongoWaitQueueTimeoutError'

const LOST_CODES = [6, 7, CURSOR_NOT_FOUND, 89, EXCEEDED_TIME_LIMIT, 9001]
const UNAVAILABLE_CODES = new Set<unknown>([...READ_ENDED, ...CHANGING_PRIMARY, ...LOST_CODES])

/** Maps database errors to errors for clients. A failed write may still be stored, because its reply may be lost. */
export function toCmsError(error: unknown): unknown {
  if (isBrokenSocket(error)) return unavailable(error)
  if (error instanceof WaitedForValue) return ofMongo(error.cause)
  if (isTooLarge(error)) return new PayloadTooLargeError(TOO_LARGE_SENTENCE, {}, { cause: error })
  // Bulk writes of driver 7.8 wrap all errors, including connection failures.
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
  if (isBehind(error)) return { sentence: BEHIND, code: 'database_busy' }
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

const TOO_LARGE_SENTENCE = 'Draft and publication of the entry exceed 16 MB'

/** Bulk writes of driver 7.8 measure documents themselves, and `bson` 7 fails at the end of its buffer of 17 MiB. */
function isTooLarge(error: unknown): error is Error {
  if (error instanceof RangeError) return error.message.includes('<= 17825792')
  if (!(error instanceof MongoError)) return false
  return TOO_LARGE.has(error.code) || error.message.startsWith('Document is larger than')
}

const UNREACHABLE = 'The database cannot be reached'
const BEHIND = 'A member of the database has not heard of the time in Quire-After yet'

const INVALID_OPTIONS = 72

function isBehind({ code, message }: MongoError): boolean {
  return code === INVALID_OPTIONS && message.includes('afterClusterTime')
}

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

/** For commands outside of transactions. @throws CmsError for database errors; other errors of `work` unchanged */
export async function asCmsErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toCmsError(error)
  }
}

/** @throws CmsError outside of a transaction, otherwise the driver's error for the retry rules */
export function inSession<T>(
  session: ClientSession | undefined,
  command: () => Promise<T>,
): Promise<T> {
  return session === undefined ? asCmsErrors(command) : command()
}

/** Detects Node's errors of a socket that the peer has just closed. Driver 7.8 passes them on when it writes. */
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

/** The write of a unique value timed out, and is retried once. DocumentDB waits for locks, also in a deadlock. */
export class WaitedForValue extends Error {
  declare readonly cause: MongoServerError

  constructor(cause: MongoServerError) {
    super('Another transaction may hold the value', { cause })
    this.name = 'WaitedForValue'
  }
}

/** The command ended because the collection or its indexes changed. A retry succeeds. */
export function isPlanKilled(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === QUERY_PLAN_KILLED
}

export function isOutOfTime(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED
}

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

export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY
}

export interface RefusingIndex {
  readonly paths: readonly string[]
  readonly name: string | null
}

/** mongos returns `keyPattern` for `findAndModify` only (4.9), DocumentDB never. No client input precedes the name. */
export function refusingIndex(error: MongoServerError): RefusingIndex {
  const [, name = null] = /\bindex: (\S+)/.exec(error.message) ?? []
  return { paths: Object.keys((error['keyPattern'] ?? {}) as object), name }
}

/** Detects the deadlock error of DocumentDB (seen in 2026). MongoDB reports a WriteConflict instead. */
export function isDeadlock(error: unknown): boolean {
  return (
    error instanceof MongoServerError &&
    error.code === 1 &&
    error.message.includes('deadlock detected')
  )
}

/** Labels of retryable errors. They get here after the last retry. */
const LABELS = [
  MongoErrorLabel.TransientTransactionError,
  MongoErrorLabel.UnknownTransactionCommitResult,
] as const

const CONNECTION_ERRORS = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
] as const

function isUnavailable(error: MongoError): boolean {
  return (
    CONNECTION_ERRORS.some((kind) => error instanceof kind) ||
    (error instanceof MongoUnexpectedServerResponseError && LOST_SERVER.has(error.message)) ||
    error.name === WAIT_QUEUE_TIMEOUT ||
    failureOf(error) !== null ||
    isBehind(error) ||
    (error instanceof MongoServerError && UNAVAILABLE_CODES.has(error.code))
  )
}
