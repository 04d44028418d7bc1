/** One fault of a payload, as the error envelope lists it under `details.errors`. */
export interface Fault {
  /** Keys and list positions from `data` down, all as strings. */
  readonly path: readonly string[]
  readonly message: string
  readonly name: string
  /** What was sent; left out when the key was absent. */
  readonly value?: unknown
}

export type ErrorDetails = Readonly<Record<string, unknown>>

/**
 * An error that a client may see. Its class name is the name on the wire, except where `name`
 * says otherwise; `details` is left out of the envelope when null.
 */
export abstract class CmsError extends Error {
  abstract readonly status: number
  readonly details: ErrorDetails | null

  constructor(message: string, details: ErrorDetails | null = {}, options?: ErrorOptions) {
    super(message, options)
    this.details = details
    this.name = new.target.name
  }
}

/** A query or payload that breaks a rule of the content-type or of the dialect. */
export class ValidationError extends CmsError {
  readonly status = 400
}

/** Page and offset pagination mixed, or pagination parameters at the wrong place. */
export class PaginationError extends CmsError {
  readonly status = 400
}

/** A request that is well formed but contradicts what is stored. */
export class ApplicationError extends CmsError {
  readonly status = 400
}

/** A path that cannot be decoded. */
export class BadRequestError extends CmsError {
  readonly status = 400
}

/** A body that does not parse; on the wire its name is `SyntaxError`, as in the dialect. */
export class MalformedBodyError extends CmsError {
  readonly status = 400
  override readonly name = 'SyntaxError'
}

/** Credentials that are missing where they are needed, or wrong. */
export class UnauthorizedError extends CmsError {
  readonly status = 401
}

/** The principal may not do this. */
export class ForbiddenError extends CmsError {
  readonly status = 403
}

/** No such route, document, version or file. */
export class NotFoundError extends CmsError {
  readonly status = 404
}

/** The route exists, but not for this method. */
export class MethodNotAllowedError extends CmsError {
  readonly status = 405
}

/** A request that collides with another one that is under way. */
export class ConflictError extends CmsError {
  readonly status = 409
}

/** A condition of the request (`If-Match`, `If-None-Match`) that what is stored does not meet. */
export class PreconditionFailedError extends CmsError {
  readonly status = 412
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
}

/** A key of an earlier request with a request that is not the same. */
export class UnprocessableContentError extends CmsError {
  readonly status = 422
}

/** More attempts than are let through in a minute. */
export class RateLimitError extends CmsError {
  readonly status = 429
}

/** An HTTP method that the server does not know, or a join that the database cannot make. */
export class NotImplementedError extends CmsError {
  readonly status = 501
}

/** The database cannot be reached, a disk is full, or too much is waiting: it may succeed later. */
export class ServiceUnavailableError extends CmsError {
  readonly status = 503
}

/** A query that ran longer than `QUERY_TIMEOUT_MS`. */
export class GatewayTimeoutError extends CmsError {
  readonly status = 504
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
export function fault(path: readonly string[], message: string, value?: unknown): Fault {
  const base = { path, message, name: 'ValidationError' }
  return value === undefined ? base : { ...base, value }
}

/** A `ValidationError` for payload faults: one fault speaks for itself, several are counted. */
export function validationError(faults: readonly [Fault, ...Fault[]]): ValidationError {
  const message = faults.length === 1 ? faults[0].message : `${faults.length} errors occurred`
  return new ValidationError(message, { errors: faults })
}
