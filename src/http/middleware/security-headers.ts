import type { Middleware } from '../state.ts'

/** What every answer carries; the values are the dialect's, but for the policy: nothing here is a page. */
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'self'",
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'SAMEORIGIN',
  'X-Permitted-Cross-Domain-Policies': 'none',
}

/** Sets them whatever becomes of the request. */
export function securityHeaders(): Middleware {
  return (ctx, next) => {
    ctx.set(HEADERS)
    return next()
  }
}
