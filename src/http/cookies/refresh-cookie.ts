import { ValidationError } from '../../errors.ts'
import { cookieNames, readCookie } from './cookie-names.ts'
import type { Context } from '../state.ts'

/** The reference's name of the cookie; `COOKIE_NAME` or a port adds a suffix. */
const REFRESH_COOKIE = 'strapi_up_refresh'

export interface RefreshCookie {
  /** The address under which browsers reach the server: where the cookie is sent, and whether by HTTPS only. */
  readonly publicUrl: string
  /** The suffix of the name. */
  readonly cookieName: string
  readonly maxSeconds: number
  /** Whether each refresh token travels in the cookie; otherwise the header of a request chooses. */
  readonly always: boolean
}

/** The header by which a client asks for the cookie; the reference's name. */
export const REFRESH_HEADER = 'X-Strapi-Refresh-Cookie'

/** Whether the refresh token of a request travels in the cookie. @throws ValidationError for another value of the header */
export function isInCookie(ctx: Context, { always }: Pick<RefreshCookie, 'always'>): boolean {
  const given = ctx.get(REFRESH_HEADER)
  if (given === '') return always
  if (given.toLowerCase() === 'httponly') return true
  const message = `${REFRESH_HEADER} must be httpOnly`
  throw new ValidationError(message, { header: REFRESH_HEADER }, { code: 'invalid_header' })
}

/**
 * Hands a refresh token to a browser, and to no script in it. It comes back to `/api/auth` alone, and not
 * with what another site makes a browser send. Null takes it away.
 */
export function setRefreshCookie(
  ctx: Context,
  { publicUrl, cookieName, maxSeconds }: RefreshCookie,
  refreshToken: string | null,
): void {
  const name = cookieNames(REFRESH_COOKIE, cookieName).current
  const { protocol, pathname } = new URL(`${publicUrl}/api/auth`)
  const maxAge = refreshToken === null ? 0 : maxSeconds
  // Written out: Koa's own refuses `Secure` where it cannot see that the proxy in front speaks HTTPS.
  ctx.append(
    'Set-Cookie',
    `${name}=${refreshToken ?? ''}; Path=${pathname}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`,
  )
}

/** Null where there is none. */
export function refreshCookieOf(
  ctx: Context,
  { cookieName }: Pick<RefreshCookie, 'cookieName'>,
): string | null {
  return readCookie(ctx, cookieNames(REFRESH_COOKIE, cookieName))?.value ?? null
}
