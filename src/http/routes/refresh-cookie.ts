import type { Context } from '../state.ts'

/** The name is the reference's. */
const REFRESH_COOKIE = 'strapi_up_refresh'

export interface RefreshCookie {
  /** The address under which browsers reach the server: where the cookie is sent, and whether by HTTPS only. */
  readonly publicUrl: string
  readonly maxSeconds: number
}

/**
 * Hands a refresh token to a browser, and to no script in it. It comes back to `/api/auth` alone, and not
 * with what another site makes a browser send. Null takes it away.
 */
export function setRefreshCookie(
  ctx: Context,
  { publicUrl, maxSeconds }: RefreshCookie,
  refreshToken: string | null,
): void {
  const { protocol, pathname } = new URL(`${publicUrl}/api/auth`)
  const maxAge = refreshToken === null ? 0 : maxSeconds
  // Written out: Koa's own refuses `Secure` where it cannot see that the proxy in front speaks HTTPS.
  ctx.append(
    'Set-Cookie',
    `${REFRESH_COOKIE}=${refreshToken ?? ''}; Path=${pathname}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`,
  )
}

/** Null where there is none. */
export function refreshCookieOf(ctx: Context): string | null {
  return ctx.cookies.get(REFRESH_COOKIE) ?? null
}
