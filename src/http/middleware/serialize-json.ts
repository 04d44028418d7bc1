import { Readable } from 'node:stream'
import type { Middleware } from '../router/state.ts'
import { toJson } from '../answer/to-json.ts'

/**
 * Serializes a body once. Koa would serialize it twice: for the length that compression needs, and for the response.
 * Serialization errors are thrown inside of `handleErrors`.
 */
export function serializeJson(): Middleware {
  return async (ctx, next) => {
    await next()
    const body: unknown = ctx.body
    if (body === null || typeof body !== 'object') return
    if (Buffer.isBuffer(body) || body instanceof Readable) return
    const { status } = ctx
    ctx.type = 'json'
    ctx.body = await toJson(body, ctx.state.answer)
    ctx.status = status
  }
}
