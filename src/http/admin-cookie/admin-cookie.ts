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
  /** Keeps something in the browser until another site, where it is sent, sends it back; '' takes it back. */
  lend(ctx: Context, name: string, value: string, seconds: number): void
  borrowed(ctx: Context, name: string): string | null
}

interface Written {
  readonly name: string
  readonly value: string
  readonly seconds: number
  readonly sameSite: 'Strict' | 'Lax'
}

/**
 * Where browsers come by HTTPS it has the prefix `__Host-`: no other host and no plain connection can set it. It never
 * comes along with what another site makes a browser send.
 */
export function adminCookie(publicUrl: string, livesMs: number): AdminCookie {
  const isSecure = new URL(publicUrl).protocol === 'https:'
  const nameOf = (plain: string): string => (isSecure ? `__Host-${plain}` : plain)
  const name = nameOf('quire_admin')
  const write = (ctx: Context, { name, value, seconds, sameSite }: Written): void => {
    // Written out: Koa's own refuses `Secure` where it cannot see that the proxy in front speaks HTTPS.
    ctx.append(
      'Set-Cookie',
      `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`,
    )
  }
  const seconds = Math.floor(livesMs / 1_000)
  return {
    publicUrl,
    read: (ctx) => ctx.cookies.get(name) ?? null,
    set: (ctx, value) => write(ctx, { name, value, seconds, sameSite: 'Strict' }),
    clear: (ctx) => write(ctx, { name, value: '', seconds: 0, sameSite: 'Strict' }),
    // What another site's page leads to carries no `Strict` cookie.
    lend: (ctx, lent, value, lives) =>
      write(ctx, { name: nameOf(lent), value, seconds: lives, sameSite: 'Lax' }),
    borrowed: (ctx, lent) => ctx.cookies.get(nameOf(lent)) ?? null,
  }
}
