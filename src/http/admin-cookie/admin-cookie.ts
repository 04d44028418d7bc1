import { type CookieNames, cookieNames, HOST_PREFIX, readCookie } from '../cookies/cookie-names.ts'
import type { Context } from '../state.ts'

/** The tokens that a sign-in hands to a browser. */
export interface BrowserTokens {
  /** Of the session. */
  readonly token: string
  /** Of the device, which stays known after the session. */
  readonly knownDevice: string
}

/** The cookies of the Studio. */
export interface AdminCookie {
  /** The address under which browsers reach the server. */
  readonly publicUrl: string
  /** The token of the session; null where there is none. */
  read(ctx: Context): string | null
  /** Hands tokens to a browser, and to no script in it. */
  set(ctx: Context, tokens: BrowserTokens): void
  clear(ctx: Context): void
  /** Hands over another token for the same device. */
  setDevice(ctx: Context, knownDevice: string): void
  /** The token of the device; null where there is none. */
  readDevice(ctx: Context): string | null
  /** Keeps something in the browser until another site, where it is sent, sends it back; '' takes it back. */
  lend(ctx: Context, name: string, value: string, seconds: number): void
  borrowed(ctx: Context, name: string): string | null
}

export interface AdminCookieOptions {
  readonly publicUrl: string
  /** The suffix of the names. */
  readonly cookieName: string
  /** How long a session lives. */
  readonly livesMs: number
}

interface Written {
  readonly name: string
  readonly value: string
  readonly seconds: number
  readonly sameSite: 'Strict' | 'Lax'
}

const DEVICE_SECONDS = 180 * 24 * 60 * 60

/**
 * Where browsers come by HTTPS the names have the prefix `__Host-`: no other host and no plain connection can set these
 * cookies. Requests of other sites never carry the cookie of the session.
 */
export function adminCookie({ publicUrl, cookieName, livesMs }: AdminCookieOptions): AdminCookie {
  const isSecure = new URL(publicUrl).protocol === 'https:'
  const namesOf = (plain: string): CookieNames =>
    cookieNames(isSecure ? `${HOST_PREFIX}${plain}` : plain, cookieName)
  const write = (ctx: Context, { name, value, seconds, sameSite }: Written): void => {
    // Written out: Koa's own refuses `Secure` where it cannot see that the proxy in front speaks HTTPS.
    ctx.append(
      'Set-Cookie',
      `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`,
    )
  }
  const session = namesOf('quire_admin')
  const device = namesOf('quire_device').current
  const seconds = Math.floor(livesMs / 1_000)
  const setDevice: AdminCookie['setDevice'] = (ctx, value) =>
    write(ctx, { name: device, value, seconds: DEVICE_SECONDS, sameSite: 'Strict' })
  return {
    publicUrl,
    read: (ctx) => readCookie(ctx, session)?.value ?? null,
    set: (ctx, { token, knownDevice }) => {
      write(ctx, { name: session.current, value: token, seconds, sameSite: 'Strict' })
      setDevice(ctx, knownDevice)
    },
    clear: (ctx) => {
      const name = readCookie(ctx, session)?.name ?? session.current
      write(ctx, { name, value: '', seconds: 0, sameSite: 'Strict' })
    },
    setDevice,
    readDevice: (ctx) => ctx.cookies.get(device) ?? null,
    // What another site's page leads to carries no `Strict` cookie.
    lend: (ctx, lent, value, lives) =>
      write(ctx, { name: namesOf(lent).current, value, seconds: lives, sameSite: 'Lax' }),
    borrowed: (ctx, lent) => ctx.cookies.get(namesOf(lent).current) ?? null,
  }
}
