import cors from '@koa/cors'
import type { HttpConfig } from '../../config/sections.ts'
import type { Middleware } from '../state.ts'

/** The dialect's answers to browsers of other origins. */
export function crossOrigin({ corsOrigin }: HttpConfig): Middleware {
  return cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin')
      return corsOrigin === '*' || corsOrigin.includes(origin) ? origin : ''
    },
    // A session of the management is for our own pages: no other origin gets to read by it.
    credentials: (ctx) => !/^\/+admin(?:\/|$)/i.test(ctx.path),
    maxAge: 31_536_000,
    allowMethods: 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
    allowHeaders: 'Content-Type,Authorization,Origin,Accept,If-Match,If-None-Match,Idempotency-Key',
    exposeHeaders: 'ETag,Error-Code,Idempotency-Replayed,Retry-After,X-Request-Id',
  })
}
