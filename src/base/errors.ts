import type { FaultCode } from './fault-codes.ts'

/** One fault of a payload, as the error envelope lists it under `details.errors`; without the reason. */
export interface Fault {
  /** Keys and list positions from `data` down, all as strings. */
  readonly path: readonly string[]
  readonly message: string
  readonly name: string
  /** What was sent; left out when the key was absent. */
  readonly value?: unknown
  readonly reason?: Reason
}

/** Which rule a value breaks, for those who say it in words of their own: answers of `/admin` have it. */
export interface Reason {
  readonly code: FaultCode
  /** What the rule asks for, such as `limit`; nothing of the value. */
  readonly params?: Readonly<Record<string, Param>>
}

export type Param = string | number | readonly string[]

export type ErrorDetails = Readonly<Record<string, unknown>>

/** Stable names of what went wrong, for programs: docs/errors.md says when each is sent. Never rename one. */
export const ERROR_CODES = [
  'account_blocked',
  'account_taken',
  'already_confirmed',
  'already_there',
  'ambiguous_revision',
  'conflicting_state',
  'connection_position',
  'cross_site',
  'data_missing',
  'database_busy',
  'database_not_writable',
  'database_unreachable',
  'disk_full',
  'email_not_confirmed',
  'filters_too_wide',
  'forbidden',
  'idempotency_key_reused',
  'internal_error',
  'invalid_confirmation_token',
  'invalid_credentials',
  'invalid_header',
  'invalid_key',
  'invalid_link',
  'invalid_login',
  'invalid_pagination',
  'invalid_passkey',
  'invalid_payload',
  'invalid_query',
  'invalid_refresh_token',
  'invalid_request',
  'invalid_reset_code',
  'invalid_signature',
  'invalid_upload',
  'last_administrator',
  'locale_mismatch',
  'malformed_body',
  'malformed_path',
  'method_not_allowed',
  'not_found',
  'not_published',
  'overloaded',
  'payload_too_large',
  'precondition_failed',
  'provider_disabled',
  'query_timeout',
  'query_too_large',
  'rate_limited',
  'release_faults',
  'release_state',
  'request_under_way',
  'role_in_use',
  'storage_unreachable',
  'sync_token_expired',
  'unavailable',
  'undeclared_unique_index',
  'unknown_component',
  'unknown_locale',
  'unknown_method',
  'unknown_relation_target',
  'value_not_unique',
  'write_conflict',
  'write_unconfirmed',
  'wrong_password',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

export interface CmsErrorOptions extends ErrorOptions {
  /** Left out: the one of the class. */
  readonly code?: ErrorCode
  readonly faults?: readonly Fault[]
}

/**
 * An error that a client may see. Its class name is the name on the wire, except where `name`
 * says otherwise; `details` is left out of the envelope when null.
 */
export abstract class CmsError extends Error {
  abstract readonly status: number
  readonly details: ErrorDetails | null
  /** With the reasons; also of what the dialect has no list for. */
  readonly #faults: readonly Fault[]
  /** What most errors of the class are. */
  protected abstract readonly usualCode: ErrorCode
  readonly #code: ErrorCode | undefined

  /** Names that a caller sent may be of any length: both texts are bounded here. */
  constructor(message: string, details: ErrorDetails | null = {}, options?: CmsErrorOptions) {
    super(boundedMessage(message), options)
    this.details = details === null ? null : boundedDetails(details)
    this.name = new.target.name
    this.#code = options?.code
    this.#faults = options?.faults ?? []
  }

  /** The details with the code of each fault. */
  get codedDetails(): ErrorDetails | null {
    if (this.#faults.length === 0) return this.details
    return { ...this.details, ...boundedDetails({ errors: this.#faults.map(codedFault) }) }
  }

  /** What is wrong with the payload, with the reasons; empty for errors about something else. */
  get faults(): readonly Fault[] {
    return this.#faults
  }

  get errorCode(): ErrorCode {
    return this.#code ?? this.usualCode
  }
}

const MAX_NAME = 200
const MAX_MESSAGE = 2_000
const LONG_WORD = new RegExp(`[^\\s;]{${MAX_NAME + 1},}`, 'g')

/** A name that a caller sent, as errors show it: at most 200 characters. */
export function shownName(name: string): string {
  return cutTo(name, MAX_NAME)
}

function cutTo(text: string, length: number): string {
  if (text.length <= length) return text
  // Half of a surrogate pair is no character.
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** No sentence of ours has a word of 200 characters: longer ones are names of the caller. */
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

/** A sent value keeps its shape; its texts and keys are cut. */
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

/** A query or payload that breaks a rule of the content-type or of the dialect. */
export class ValidationError extends CmsError {
  readonly status = 400
  protected readonly usualCode = 'invalid_request'
}

/** Page and offset pagination mixed, or pagination parameters at the wrong place. */
export class PaginationError extends CmsError {
  readonly status = 400
  protected readonly usualCode = 'invalid_pagination'
}

/** A request that is well formed but contradicts what is stored. */
export class ApplicationError extends CmsError {
  readonly status = 400
  protected readonly usualCode = 'conflicting_state'
}

/** A path that cannot be decoded. */
export class BadRequestError extends CmsError {
  readonly status = 400
  protected readonly usualCode = 'malformed_path'
}

/** A body that does not parse; on the wire its name is `SyntaxError`, as in the dialect. */
export class MalformedBodyError extends CmsError {
  readonly status = 400
  protected readonly usualCode = 'malformed_body'
  override readonly name = 'SyntaxError'
}

/** Credentials that are missing where they are needed, or wrong. */
export class UnauthorizedError extends CmsError {
  readonly status = 401
  protected readonly usualCode = 'invalid_credentials'
}

/** The principal may not do this. */
export class ForbiddenError extends CmsError {
  readonly status = 403
  protected readonly usualCode = 'forbidden'
  /** What would have to be permitted; null where no action would let the principal through. */
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

/** No such route, document, version or file. */
export class NotFoundError extends CmsError {
  readonly status = 404
  protected readonly usualCode = 'not_found'
}

/** The route exists, but not for this method. */
export class MethodNotAllowedError extends CmsError {
  readonly status = 405
  protected readonly usualCode = 'method_not_allowed'
}

/** A request that collides with another one that is under way. */
export class ConflictError extends CmsError {
  readonly status = 409
  protected readonly usualCode = 'request_under_way'
}

/** A token of `_sync` that the log does not go back to, or that is of another log: the client begins anew. */
export class SyncTokenExpiredError extends CmsError {
  readonly status = 410
  protected readonly usualCode = 'sync_token_expired'
  readonly reason: 'retention' | 'log'

  constructor(reason: 'retention' | 'log', options?: ErrorOptions) {
    super('The sync token has expired: begin again without one', { reason }, options)
    this.reason = reason
  }
}

/** A condition of the request (`If-Match`, `If-None-Match`) that what is stored does not meet. */
export class PreconditionFailedError extends CmsError {
  readonly status = 412
  protected readonly usualCode = 'precondition_failed'
  /** Of what is stored now; null where there is nothing. */
  readonly revision: string | null

  constructor(message: string, revision: string | null = null) {
    super(message)
    this.revision = revision
  }
}

/** A body above `MAX_BODY_BYTES`. */
export class PayloadTooLargeError extends CmsError {
  readonly status = 413
  protected readonly usualCode = 'payload_too_large'
}

/** A key of an earlier request with a request that is not the same. */
export class UnprocessableContentError extends CmsError {
  readonly status = 422
  protected readonly usualCode = 'idempotency_key_reused'
}

/** More attempts than are let through in a minute. */
export class RateLimitError extends CmsError {
  readonly status = 429
  protected readonly usualCode = 'rate_limited'
}

/** An HTTP method that the server does not know, or a join that the database cannot make. */
export class NotImplementedError extends CmsError {
  readonly status = 501
  protected readonly usualCode = 'unknown_method'
}

/** The database cannot be reached, a disk is full, another write holds it, or too much is waiting: it may succeed later. */
export class ServiceUnavailableError extends CmsError {
  readonly status = 503
  protected readonly usualCode = 'unavailable'
}

/** A query that ran longer than `QUERY_TIMEOUT_MS`. */
export class GatewayTimeoutError extends CmsError {
  readonly status = 504
  protected readonly usualCode = 'query_timeout'
}

/** Content-type declarations that cannot be used; carries every fault that was found. Start-up only. */
export class SchemaError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The content-types cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'SchemaError'
    this.faults = faults
  }
}

/** An environment that cannot be used; carries every fault that was found. Start-up only. */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The environment cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** One fault of a payload; `value` is left out where nothing was sent. */
export function fault(
  path: readonly (string | number)[],
  message: string,
  value?: unknown,
  reason?: Reason,
): Fault {
  return {
    path: path.map(String),
    message,
    name: 'ValidationError',
    ...(value !== undefined && { value }),
    ...(reason !== undefined && { reason }),
  }
}

/** The options of an error that is about no value of the payload, with its reason. */
export function because(
  message: string,
  code: FaultCode,
  params?: Reason['params'],
): CmsErrorOptions {
  return {
    faults: [fault([], message, undefined, params === undefined ? { code } : { code, params })],
  }
}

/** As the dialect has it. */
export function plainFault(fault: Fault): Fault {
  const { reason: _, ...plain } = fault
  return plain
}

function codedFault({ reason, ...plain }: Fault): object {
  return { ...plain, ...reason }
}

/** Faults that one answer lists: who sends a megabyte of them gets no 26 of sentences back. */
export const MAX_FAULTS = 100

/** A `ValidationError` for payload faults: one fault speaks for itself, several are counted. */
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
