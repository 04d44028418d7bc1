import { Readable } from 'node:stream'
import type { Middleware } from '../state.ts'
import { toJson } from '../to-json.ts'

/**
 * Serialises a body to JSON once: Koa would do it twice, for the length that compression reads and for
 * the answer. A body that cannot be serialised fails inside `handleErrors`.
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
