import type { Middleware as AnyMiddleware } from 'koa'
import compress from 'koa-compress'
import type { Middleware } from '../router/state.ts'

const THRESHOLD_BYTES = 1_024

/** If the client accepts no coding, the response is plain (RFC 9110, 12.5.3). koa-compress 5 would fail with 500. */
export function packAnswers(): readonly [AnyMiddleware, Middleware] {
  const pack = compress({ threshold: THRESHOLD_BYTES })
  return [pack, leavePlain(pack.preferredEncodings)]
}

/** Must run inside of the compression middleware, which reads `ctx.compress` when the response is ready. */
function leavePlain(codings: readonly string[]): Middleware {
  return async (ctx, next) => {
    await next()
    if (ctx.headers['accept-encoding'] === undefined) return // https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
    if (ctx.acceptsEncodings([...codings]) === false) ctx.compress = false
  }
}
