import cors from '@koa/cors'
import type { HttpConfig } from '../../config/sections.ts'
import { REFRESH_HEADER } from '../cookies/refresh-cookie.ts'
import type { Middleware } from '../state.ts'

/**
 * The dialect's answers to browsers of other origins. `CORS_ORIGIN=*`, which is the default, is for content: the management and
 * MCP answer the origins alone that are listed, measurements and health nobody's pages. These last are told by where a
 * connection comes from, which on this machine is where the browser is.
 */
export function crossOrigin({ corsOrigin }: HttpConfig): Middleware {
  return cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin')
      if (OF_THIS_MACHINE.test(ctx.path)) return ''
      if (corsOrigin === '*') return LISTED_ONLY.test(ctx.path) ? '' : origin
      return corsOrigin.includes(origin) ? origin : ''
    },
    // A session of the management is for our own pages: no other origin gets to read by it.
    credentials: (ctx) => !/^\/+admin(?:\/|$)/i.test(ctx.path),
    maxAge: 31_536_000,
    allowMethods: 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
    // Pages of listed origins only may use the cookie of a refresh token.
    allowHeaders: corsOrigin === '*' ? ALLOWED_HEADERS : `${ALLOWED_HEADERS},${REFRESH_HEADER}`,
    exposeHeaders: 'ETag,Error-Code,Idempotency-Replayed,Retry-After,X-Request-Id',
  })
}

const ALLOWED_HEADERS =
  'Content-Type,Authorization,Origin,Accept,If-Match,If-None-Match,Idempotency-Key'
const LISTED_ONLY = /^\/+(?:admin|mcp)(?:\/|$)/i
const OF_THIS_MACHINE = /^\/+(?:metrics|_health|_ready)(?:\/|$)/i
