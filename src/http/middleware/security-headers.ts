import type { Middleware } from '../router/state.ts'

/** Browsers never show these responses as pages. */
const API_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
}

const PAGE_HEADERS = {
  ...API_HEADERS,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'self'",
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'SAMEORIGIN',
  'X-Permitted-Cross-Domain-Policies': 'none',
}

/** The Studio, the docs page and uploads. Paths under `/api` are case-insensitive. */
const PAGES = /^\/+(?:studio|uploads|api\/+docs)(?:\/|$)/i

export function securityHeaders(): Middleware {
  return (ctx, next) => {
    ctx.set(PAGES.test(ctx.path) ? PAGE_HEADERS : API_HEADERS)
    return next()
  }
}
