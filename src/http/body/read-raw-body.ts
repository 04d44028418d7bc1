import getRawBody from 'raw-body'
import type { Middleware } from '../router/state.ts'
import type { BodyBudget } from './body-budget.ts'
import { isSlowBody } from './read-body.ts'
import { unpackBody } from './unpack-body.ts'

/**
 * Reads the bytes of any content type into a Buffer, after a `Content-Encoding` is removed. They have
 * the limits of parsed bodies. @throws an error with the status 413 or 400
 */
export function readRawBody(
  maxBodyBytes: number,
  budget: BodyBudget | null = null,
  clock = (): number => performance.now(),
): Middleware {
  return async (ctx, next) => {
    const release = budget?.count(ctx.req, maxBodyBytes)
    const begun = clock()
    const stream = unpackBody(ctx.req)
    const length = stream === ctx.req ? (ctx.req.headers['content-length'] ?? null) : null
    const body = await getRawBody(stream, { limit: maxBodyBytes, length }).finally(release)
    Object.assign(ctx.request, { body })
    if (isSlowBody(clock() - begun)) await ctx.state.authorizeAgain?.()
    await next()
  }
}
