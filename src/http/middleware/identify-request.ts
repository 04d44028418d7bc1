import { randomUUID } from 'node:crypto'
import type { Middleware } from '../router/state.ts'

const HEADER = 'X-Request-Id'

export function identifyRequest(): Middleware {
  return (ctx, next) => {
    const given = ctx.get(HEADER)
    ctx.state.requestId = /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
    ctx.set(HEADER, ctx.state.requestId)
    return next()
  }
}
