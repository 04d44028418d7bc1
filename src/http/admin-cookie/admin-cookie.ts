import type { Context } from '../state.ts'

/** The cookie of a session of the Studio. */
export interface AdminCookie {
  /** The address under which browsers reach the server. */
  readonly publicUrl: string
  /** Null where there is none. */
  read(ctx: Context): string | null
  /** Hands a token to a browser, and to no script in it. */
  set(ctx: Context, token: string): void
  clear(ctx: Context): void
}

/**
 * Where browsers come by HTTPS it has the prefix `__Host-`: no other host and no plain connection can set it. It never
 * comes along with what another site makes a browser send.
 */
export function adminCookie(publicUrl: string, livesMs: number): AdminCookie {
  const isSecure = new URL(publicUrl).protocol === 'https:'
  const name = isSecure ? '__Host-quire_admin' : 'quire_admin'
  const write = (ctx: Context, value: string, seconds: number): void => {
    // Written out: Koa's own refuses `Secure` where it cannot see that the proxy in front speaks HTTPS.
    ctx.append(
      'Set-Cookie',
      `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
    )
  }
  return {
    publicUrl,
    read: (ctx) => ctx.cookies.get(name) ?? null,
    set: (ctx, token) => write(ctx, token, Math.floor(livesMs / 1_000)),
    clear: (ctx) => write(ctx, '', 0),
  }
}
