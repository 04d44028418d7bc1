import type { Middleware as AnyMiddleware } from 'koa'
import compress from 'koa-compress'
import type { Middleware } from './state.ts'

const THRESHOLD_BYTES = 1_024

/**
 * Packs long answers by what a client accepts. Who accepts no coding at all, `identity` included, gets them as they are:
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3 prefers that to an error, and koa-compress 5 sends a coding without
 * a name, which is a 500.
 */
export function packAnswers(): readonly [AnyMiddleware, Middleware] {
  const pack = compress({ threshold: THRESHOLD_BYTES })
  return [pack, leavePlain(pack.preferredEncodings)]
}

/** Comes within what packs: `compress` of the context is read when the answer is there. */
function leavePlain(codings: readonly string[]): Middleware {
  return async (ctx, next) => {
    await next()
    if (ctx.headers['accept-encoding'] === undefined) return // https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
    if (ctx.acceptsEncodings([...codings]) === false) ctx.compress = false
  }
}
