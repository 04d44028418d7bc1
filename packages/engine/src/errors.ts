const ERROR_CODES = {
  InternalError: 1,
  BadValue: 2,
  NotSingleValueField: 54,
  Overflow: 15,
  FailedToParse: 9,
  UnsupportedFormat: 12,
  Unauthorized: 13,
  TypeMismatch: 14,
  InvalidLength: 16,
  IllegalOperation: 20,
  EmptyArrayOperation: 21,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  FileStreamFailed: 39,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  EmptyFieldName: 56,
  DottedFieldName: 57,
  CommandNotFound: 59,
  ShardKeyNotFound: 61,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  WriteConflict: 112,
  ConversionFailure: 241,
  FailPointSetFailed: 320,
  TransactionTooOld: 225,
  NotImplemented: 238,
  NoSuchTransaction: 251,
  TransactionCommitted: 256,
  SnapshotUnavailable: 246,

  InvalidPipelineOperator: 168,
  ConflictingOperationInProgress: 117,
  QueryPlanKilled: 175,
  PrimarySteppedDown: 189,
  InvalidResumeToken: 260,
  ChangeStreamFatalError: 280,
  ChangeStreamHistoryLost: 286,
  ExceededMemoryLimit: 146,
  OperationNotSupportedInTransaction: 263,
  CannotIndexParallelArrays: 171,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  InterruptedAtShutdown: 11600,
  Interrupted: 11601,
  OutOfDiskSpace: 14031,
  KeyTooLong: 17280,
  UnknownReplWriteConcern: 79,
  UnsatisfiableWriteConcern: 100,
  QueryFeatureNotAllowed: 224,
} as const

export type ErrorName = keyof typeof ERROR_CODES | `Location${number}`

function isNamed(name: ErrorName): name is keyof typeof ERROR_CODES {
  return Object.hasOwn(ERROR_CODES, name)
}

export function getErrorCode(name: ErrorName): number {
  return isNamed(name) ? ERROR_CODES[name] : Number(name.slice('Location'.length))
}

/** Codes of other servers have no name here, and MongoDB names such codes by their number as well. */
export function getErrorName(code: number): string {
  const known = Object.entries(ERROR_CODES).find(([, other]) => other === code)
  return known?.[0] ?? `Location${code}`
}

export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly codeName: ErrorName
  readonly labels: readonly string[]
  /** More members of the reply, such as keyPattern and keyValue. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    codeName: ErrorName,
    message: string,
    extra: { labels?: readonly string[]; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message)
    this.codeName = codeName
    this.labels = extra.labels ?? []
    this.details = extra.details ?? {}
  }

  get code(): number {
    return getErrorCode(this.codeName)
  }
}

export function badValue(message: string): CommandError {
  return new CommandError('BadValue', message)
}

export function failedToParse(message: string): CommandError {
  return new CommandError('FailedToParse', message)
}

export function typeMismatch(message: string): CommandError {
  return new CommandError('TypeMismatch', message)
}

const TRANSIENT = ['TransientTransactionError']

export function writeConflict(): CommandError {
  return new CommandError(
    'WriteConflict',
    'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
    { labels: TRANSIENT },
  )
}

/** A write to the disk failed and stored no data. */
export function diskFault(why: string): CommandError {
  return new CommandError('FileStreamFailed', `cannot write to the disk: ${why}`)
}

/** The outcome of the write is unknown to its writer. The writer may retry. */
export function steppedDown(): CommandError {
  return new CommandError(
    'PrimarySteppedDown',
    'the primary stepped down before a majority had the write',
    {
      labels: ['RetryableWriteError'],
    },
  )
}

/** The transaction can be retried after another one has ended. */
export function noSnapshot(message: string): CommandError {
  return new CommandError('SnapshotUnavailable', message, { labels: TRANSIENT })
}

export function noSuchTransaction(message: string): CommandError {
  return new CommandError('NoSuchTransaction', message, { labels: TRANSIENT })
}
