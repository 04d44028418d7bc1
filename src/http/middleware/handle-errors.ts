import type { Logger } from 'pino'
import { mayKnowActions } from '../../people/access/permissions.ts'
import type { ErrorCode } from '../../base/error-codes.ts'
import {
  CmsError,
  ExtensionFailedError,
  ForbiddenError,
  MalformedBodyError,
  PayloadTooLargeError,
  PreconditionFailedError,
  RateLimitError,
} from '../../base/errors.ts'
import { badRequestReason } from '../router/bad-request-reason.ts'
import { bareTag } from '../answer/entity-tag.ts'
import { envelopeAt, ERROR_CODE } from '../answer/envelope.ts'
import { createFailureReport } from '../answer/report-failures.ts'
import { hasLeft } from '../answer/hang-ups.ts'
import type { Context, Middleware } from '../router/state.ts'

/** An error other than a CmsError is a bug. Without `no-store`, shared caches may store a 404 (RFC 9111, 4.2.2). */
export function handleErrors(log: Logger): Middleware {
  const report = createFailureReport(log)
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const known = asCmsError(error)
      if (hasLeft(ctx.res)) {
        log.debug({ requestId: ctx.state.requestId }, 'The client closed the connection')
      } else if (known === null) {
        log.error({ err: error, requestId: ctx.state.requestId }, 'unexpected error')
      } else if (known.status >= 500 && !(known instanceof ExtensionFailedError)) {
        report(known, ctx.state.requestId)
      }
      if (known === null) {
        ctx.status = 500
        ctx.body = INTERNAL_ERROR
        ctx.set(ERROR_CODE, 'internal_error' satisfies ErrorCode)
        return
      }
      answer(known, ctx)
    } finally {
      if (ctx.status >= 400) ctx.set('Cache-Control', 'no-store')
    }
  }
}

function answer(error: CmsError, ctx: Context): void {
  ctx.status = error.status
  if (error.status === 400) ctx.state.badRequest = badRequestReason(error)
  ctx.body = envelopeAt(ctx.path, error instanceof ForbiddenError ? refusal(error, ctx) : error)
  ctx.set(ERROR_CODE, error.errorCode)
  if (RETRYABLE_STATUSES.has(error.status)) ctx.set('Retry-After', '1')
  if (error instanceof RateLimitError) ctx.set('Retry-After', String(error.retryAfterSeconds))
  if (error instanceof PreconditionFailedError && error.revision !== null) {
    ctx.set('ETag', bareTag(error.revision))
  }
}

export function refusal(error: ForbiddenError, { state }: Context): ForbiddenError {
  const { action } = error
  if (action === null) return error
  state.missingAction = action
  return mayKnowActions(state.principal)
    ? new ForbiddenError(`${error.message}: ${action} is not permitted`, error.details)
    : error
}

/** The same request may soon succeed, for example after an overload of the database. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([409, 423, 503, 504])

const INTERNAL_ERROR = {
  data: null,
  error: { status: 500, name: 'InternalServerError', message: 'Internal Server Error' },
}

function asCmsError(error: unknown): CmsError | null {
  if (error instanceof CmsError) return error
  if (!(error instanceof Error)) return null
  if ('code' in error && (isUnpackingError(error.code) || isParserError(error.code))) {
    return new MalformedBodyError(error.message, null)
  }
  if (!('status' in error)) return null
  if (error.status === 413) return new PayloadTooLargeError(error.message, null)
  if (error.status === 400 || error.status === 415) {
    return new MalformedBodyError(error.message, null)
  }
  return null
}

function isParserError(code: unknown): boolean {
  return typeof code === 'string' && code.startsWith('HPE_')
}

/** Node derives brotli codes from names inside of brotli, such as `ERR__ERROR_FORMAT_PADDING_1`. */
function isUnpackingError(code: unknown): boolean {
  if (typeof code !== 'string') return false
  return UNPACKING_FAILED.has(code) || /^ERR_(?:_ERROR|BROTLI)_/.test(code)
}

const UNPACKING_FAILED: ReadonlySet<string> = new Set([
  'Z_BUF_ERROR',
  'Z_DATA_ERROR',
  'Z_NEED_DICT',
])
