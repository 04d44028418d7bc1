import cors from '@koa/cors'
import type { HttpConfig } from '../../base/config/sections.ts'
import { REFRESH_HEADER } from '../cookies/refresh-cookie.ts'
import type { Middleware } from '../router/state.ts'

/** `CORS_ORIGIN=*` applies to content only. Metrics and health checks allow no origin: they may trust addresses. */
export function crossOrigin({ corsOrigin }: HttpConfig): Middleware {
  return cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin')
      if (OF_THIS_MACHINE.test(ctx.path)) return ''
      if (corsOrigin === '*') return LISTED_ONLY.test(ctx.path) ? '' : origin
      return corsOrigin.includes(origin) ? origin : ''
    },
    // Sessions of administrators are for the Studio only. No other origin may read with their cookie.
    credentials: (ctx) => !/^\/+admin(?:\/|$)/i.test(ctx.path),
    maxAge: 31_536_000,
    allowMethods: 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
    // Only pages of listed origins may use the cookie with the refresh token.
    allowHeaders: corsOrigin === '*' ? ALLOWED_HEADERS : `${ALLOWED_HEADERS},${REFRESH_HEADER}`,
    exposeHeaders: EXPOSED_HEADERS,
  })
}

/** Of resumable uploads, see https://tus.io/protocols/resumable-upload. */
const TUS_REQUEST_HEADERS = 'Tus-Resumable,Upload-Length,Upload-Metadata,Upload-Offset'
const TUS_RESPONSE_HEADERS =
  'Location,Tus-Extension,Tus-Max-Size,Tus-Resumable,Tus-Version,Upload-Expires,Upload-Length,Upload-Metadata,Upload-Offset'
const ALLOWED_HEADERS = `Content-Type,Authorization,Origin,Accept,If-Match,If-None-Match,Idempotency-Key,Quire-After,Quire-Client,${TUS_REQUEST_HEADERS}`
const EXPOSED_HEADERS = `ETag,Error-Code,Idempotency-Replayed,Quire-After,Retry-After,X-Request-Id,${TUS_RESPONSE_HEADERS}`
const LISTED_ONLY = /^\/+(?:admin|mcp)(?:\/|$)/i
const OF_THIS_MACHINE = /^\/+(?:metrics|_health|_ready)(?:\/|$)/i
