import { Readable } from 'node:stream'
import type { Middleware } from '../router/state.ts'
import { toJson } from '../answer/to-json.ts'

/** Koa would serialize twice: for the length that compression needs, and for the response. */
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
