import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Middleware } from '../state.ts'

const HEADER = 'X-Request-Id'

/** Gives every request an id (the caller's, when it sends a sensible one) and logs how it ended. */
export function identifyRequest(log: Logger): Middleware {
  return async (ctx, next) => {
    const started = performance.now()
    const given = ctx.get(HEADER)
    ctx.state.requestId = /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
    ctx.set(HEADER, ctx.state.requestId)
    await next()
    if (!log.isLevelEnabled('debug')) return
    log.debug({
      requestId: ctx.state.requestId,
      method: ctx.method,
      path: ctx.path,
      status: ctx.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    })
  }
}
