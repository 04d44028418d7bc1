import type { ErrorCode } from './error-codes.ts'
import type { FaultCode } from './fault-codes.ts'

/** An item of `details.errors` in a response. */
export interface Fault {
  /** Keys and array indexes from `data` on. */
  readonly path: readonly string[]
  readonly message: string
  readonly name: string
  /** Absent if the key was missing. */
  readonly value?: unknown
  readonly reason: Reason
}

/** Clients build their own messages from it. Sent by `/admin` only. */
export interface Reason {
  readonly code: FaultCode
  /** Never contains the value. */
  readonly params?: Readonly<Record<string, Param>>
}

export type Param = string | number | readonly string[]

export type ErrorDetails = Readonly<Record<string, unknown>>

export interface CmsErrorOptions extends ErrorOptions {
  /** Defaults to the code of the class. */
  readonly code?: ErrorCode
  readonly faults?: readonly Fault[]
}

/** An error for clients. Its `name` in the response is the class name, unless the class sets another one. */
export abstract class CmsError extends Error {
  abstract readonly status: number
  readonly details: ErrorDetails | null
  /** All faults with their reasons, even if `details` does not list them. */
  #faults: readonly Fault[]
  protected abstract readonly usualCode: ErrorCode
  readonly #code: ErrorCode | undefined

  /** Names from the request can have any length, so both texts are shortened. */
  constructor(message: string, details: ErrorDetails | null = {}, options?: CmsErrorOptions) {
    super(boundedMessage(message), options)
    this.details = details === null ? null : boundedDetails(details)
    this.name = new.target.name
    this.#code = options?.code
    this.#faults = options?.faults ?? []
  }

  get codedDetails(): ErrorDetails | null {
    if (this.#faults.length === 0) return this.details
    return { ...this.details, ...boundedDetails({ errors: this.#faults.map(codedFault) }) }
  }

  /** Empty for errors that are not about the payload. */
  get faults(): readonly Fault[] {
    return this.#faults
  }

  /** Marks the message as text of an extension. The Studio shows it as it is. */
  quoted(): this {
    if (this.#faults.length > 0 || this.#code !== undefined || this.details?.['errors']) return this
    const { message } = this
    this.#faults = because(message, 'extension.refused', { message }).faults ?? []
    return this
  }

  get errorCode(): ErrorCode {
    return this.#code ?? this.usualCode
  }
}

const MAX_NAME = 200
const MAX_MESSAGE = 2_000
const LONG_WORD = new RegExp(`[^\\s;]{${MAX_NAME + 1},}`, 'g')

export function shownName(name: string): string {
  return cutTo(name, MAX_NAME)
}

function cutTo(text: string, length: number): string {
  if (text.length <= length) return text
  // Do not end with half of a surrogate pair.
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Words above 200 characters are names from the request. */
function boundedMessage(message: string): string {
  if (message.length <= MAX_NAME) return message
  return cutTo(message.replace(LONG_WORD, shownName), MAX_MESSAGE)
}

function boundedDetails(details: ErrorDetails): ErrorDetails {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [
      shownName(key),
      key === 'value' ? boundedValue(value) : boundedDetail(key, value),
    ]),
  )
}

function boundedValue(value: unknown): unknown {
  if (typeof value === 'string') return cutTo(value, MAX_MESSAGE)
  if (Array.isArray(value)) return value.map(boundedValue)
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [shownName(key), boundedValue(inner)]),
  )
}

function isPlain(value: unknown): value is ErrorDetails {
  return typeof value === 'object' && value !== null && !(value instanceof Date)
}

function boundedDetail(key: string, value: unknown): unknown {
  if (typeof value === 'string') return key === 'message' ? boundedMessage(value) : shownName(value)
  if (Array.isArray(value)) return value.map((item: unknown) => boundedDetail(key, item))
  return isPlain(value) ? boundedDetails(value) : value
}

/** A query or payload that violates a rule of the content-type or the REST dialect. */
export class ValidationError extends CmsError {
  readonly status = 400
  protected readonly usualCode = 'invalid_request'
}

/** Page-based and offset-based pagination in one query, or misplaced pagination parameters. */
export class PaginationError extends CmsError {
  readonly status = 400
  protected readonly usualCode = 'invalid_pagination'
}

/** A well-formed request that conflicts with stored data. */
export class ApplicationError extends CmsError {
  readonly status = 400
  protected readonly usualCode = 'conflicting_state'
}

export class BadRequestError extends CmsError {
  readonly status = 400
  protected readonly usualCode = 'malformed_path'
}

/** The body cannot be parsed. The `name` in the response is `SyntaxError`, as in the reference. */
export class MalformedBodyError extends CmsError {
  readonly status = 400
  protected readonly usualCode = 'malformed_body'
  override readonly name = 'SyntaxError'
}

export class UnauthorizedError extends CmsError {
  readonly status = 401
  protected readonly usualCode = 'invalid_credentials'
}

export class ForbiddenError extends CmsError {
  readonly status = 403
  protected readonly usualCode = 'forbidden'
  /** Null if no action would permit the request. */
  readonly action: string | null

  constructor(
    message: string,
    details: ErrorDetails | null = {},
    options: CmsErrorOptions & { readonly action?: string } = {},
  ) {
    super(message, details, options)
    this.action = options.action ?? null
  }
}

export class NotFoundError extends CmsError {
  readonly status = 404
  protected readonly usualCode = 'not_found'
}

export class MethodNotAllowedError extends CmsError {
  readonly status = 405
  protected readonly usualCode = 'method_not_allowed'
}

/** Another request with the same target is still running. */
export class ConflictError extends CmsError {
  readonly status = 409
  protected readonly usualCode = 'request_under_way'
}

/** The token is older than the commit log or belongs to another log. The client must start a full sync. */
export class SyncTokenExpiredError extends CmsError {
  readonly status = 410
  protected readonly usualCode = 'sync_token_expired'
  readonly reason: 'retention' | 'log'

  constructor(reason: 'retention' | 'log', options?: ErrorOptions) {
    super('The sync token has expired: begin again without one', { reason }, options)
    this.reason = reason
  }
}

export class PreconditionFailedError extends CmsError {
  readonly status = 412
  protected readonly usualCode = 'precondition_failed'
  /** Null if the document does not exist. */
  readonly revision: string | null

  constructor(message: string, revision: string | null = null) {
    super(message)
    this.revision = revision
  }
}

/** The body exceeds `MAX_BODY_BYTES`. */
export class PayloadTooLargeError extends CmsError {
  readonly status = 413
  protected readonly usualCode = 'payload_too_large'
}

/** The idempotency key was used for a different request. */
export class UnprocessableContentError extends CmsError {
  readonly status = 422
  protected readonly usualCode = 'idempotency_key_reused'
}

/** Another request holds the lock of an upload. */
export class LockedError extends CmsError {
  readonly status = 423
  protected readonly usualCode = 'upload_locked'
}

export class RateLimitError extends CmsError {
  readonly status = 429
  protected readonly usualCode = 'rate_limited'
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Also for joins that the database does not support. */
export class NotImplementedError extends CmsError {
  readonly status = 501
  protected readonly usualCode = 'unknown_method'
}

/** An unexpected error. The log has its cause, the response does not. */
export class UnexpectedFailureError extends CmsError {
  readonly status = 500
  protected readonly usualCode = 'internal_error'
  override readonly name = 'InternalServerError'

  constructor(cause: unknown) {
    super('Internal Server Error', null, { cause })
  }
}

/** The code of an extension threw an unexpected error. The log names the extension, the response does not. */
export class ExtensionFailedError extends UnexpectedFailureError {}

/** Temporary: the database is unreachable or locked, a disk is full, or a queue is full. */
export class ServiceUnavailableError extends CmsError {
  readonly status = 503
  protected readonly usualCode: ErrorCode = 'unavailable'
}

/** A query exceeded `QUERY_TIMEOUT_MS`. */
export class GatewayTimeoutError extends CmsError {
  readonly status = 504
  protected readonly usualCode = 'query_timeout'
}

/** Invalid environment variables or members of a configuration file, with all faults. Thrown at startup only. */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[], options?: ErrorOptions) {
    const lines = faults.map((fault) => `  - ${fault}`)
    super(`The configuration cannot be used:\n${lines.join('\n')}`, options)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** Invalid extensions, with all faults. Thrown at startup only. */
export class ExtensionError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[], options?: ErrorOptions) {
    const list = faults.map((fault) => `  - ${fault}`).join('\n')
    super(`The extensions cannot be used:\n${list}`, options)
    this.name = 'ExtensionError'
    this.faults = faults
  }
}

export function fault(
  path: readonly (string | number)[],
  message: string,
  value: unknown,
  reason: Reason,
): Fault {
  return {
    path: path.map(String),
    message,
    name: 'ValidationError',
    ...(value !== undefined && { value }),
    reason,
  }
}

/** Options of an error with a reason but without a faulty value. */
export function because(
  message: string,
  code: FaultCode,
  params?: Reason['params'],
): CmsErrorOptions {
  const reason = params === undefined ? { code } : { code, params }
  return { faults: [fault([], message, undefined, reason)] }
}

/** Without its reason, because Strapi sends none. */
export function plainFault(fault: Fault): Omit<Fault, 'reason'> {
  const { reason: _, ...plain } = fault
  return plain
}

function codedFault({ reason, ...plain }: Fault): object {
  return { ...plain, ...reason }
}

/** Without it, a body of 1 MB could cause a response of 26 MB. */
export const MAX_FAULTS = 100

export function validationError(
  faults: readonly [Fault, ...Fault[]],
  code: ErrorCode = 'invalid_payload',
): ValidationError {
  const listed = faults.slice(0, MAX_FAULTS)
  const errors = listed.map(plainFault)
  return new ValidationError(messageOf(faults), { errors }, { code, faults: listed })
}

function messageOf(faults: readonly [Fault, ...Fault[]]): string {
  if (faults.length > MAX_FAULTS) return `More than ${MAX_FAULTS} errors occurred`
  return faults.length === 1 ? faults[0].message : `${faults.length} errors occurred`
}
