import { ValidationError } from '../../base/errors.ts'
import { cookieNames, readCookie } from './cookie-names.ts'
import type { Context } from '../router/state.ts'

const REFRESH_COOKIE = 'strapi_up_refresh'

export interface RefreshCookie {
  readonly publicUrl: string
  readonly cookieName: string
  readonly maxSeconds: number
  /** If true, all refresh tokens use the cookie. Otherwise a request header selects it. */
  readonly always: boolean
}

export const REFRESH_HEADER = 'X-Strapi-Refresh-Cookie'

export function isInCookie(ctx: Context, { always }: Pick<RefreshCookie, 'always'>): boolean {
  const given = ctx.get(REFRESH_HEADER)
  if (given === '') return always
  if (given.toLowerCase() === 'httponly') return true
  const message = `${REFRESH_HEADER} must be httpOnly`
  throw new ValidationError(message, { header: REFRESH_HEADER }, { code: 'invalid_header' })
}

/** Sent to `/api/auth` only, and not with cross-site subrequests. Null deletes the cookie. */
export function setRefreshCookie(
  ctx: Context,
  { publicUrl, cookieName, maxSeconds }: RefreshCookie,
  refreshToken: string | null,
): void {
  const name = cookieNames(REFRESH_COOKIE, cookieName).current
  const { protocol, pathname } = new URL(`${publicUrl}/api/auth`)
  const maxAge = refreshToken === null ? 0 : maxSeconds
  // Set without Koa's cookie API, which rejects `Secure` if it cannot detect that the proxy uses HTTPS.
  ctx.append(
    'Set-Cookie',
    `${name}=${refreshToken ?? ''}; Path=${pathname}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`,
  )
}

export function refreshCookieOf(
  ctx: Context,
  { cookieName }: Pick<RefreshCookie, 'cookieName'>,
): string | null {
  return readCookie(ctx, cookieNames(REFRESH_COOKIE, cookieName))?.value ?? null
}
