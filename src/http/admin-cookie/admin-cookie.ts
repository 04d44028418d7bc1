import { type CookieNames, cookieNames, HOST_PREFIX, readCookie } from '../cookies/cookie-names.ts'
import type { Context } from '../router/state.ts'

export interface BrowserTokens {
  readonly token: string
  readonly knownDevice: string
}

export interface AdminCookie {
  readonly publicUrl: string
  read(ctx: Context): string | null
  set(ctx: Context, tokens: BrowserTokens): void
  clear(ctx: Context): void
  setDevice(ctx: Context, knownDevice: string): void
  readDevice(ctx: Context): string | null
  /** Stores a value in the browser during a redirect to another site. An empty value deletes it. */
  lend(ctx: Context, name: string, value: string, seconds: number): void
  borrowed(ctx: Context, name: string): string | null
}

export interface AdminCookieOptions {
  readonly publicUrl: string
  readonly cookieName: string
  readonly livesMs: number
}

interface Written {
  readonly name: string
  readonly value: string
  readonly seconds: number
  readonly sameSite: 'Strict' | 'Lax'
}

const DEVICE_SECONDS = 180 * 24 * 60 * 60

/** Over HTTPS the prefix `__Host-` keeps other hosts and plain HTTP from setting the cookies. */
export function adminCookie({ publicUrl, cookieName, livesMs }: AdminCookieOptions): AdminCookie {
  const isSecure = new URL(publicUrl).protocol === 'https:'
  const namesOf = (plain: string): CookieNames =>
    cookieNames(isSecure ? `${HOST_PREFIX}${plain}` : plain, cookieName)
  const write = (ctx: Context, { name, value, seconds, sameSite }: Written): void => {
    // Set without Koa's cookie API, which rejects `Secure` if it cannot detect that the proxy uses HTTPS.
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
    // `Lax`, because browsers omit `Strict` cookies on navigations from another site.
    lend: (ctx, lent, value, lives) =>
      write(ctx, { name: namesOf(lent).current, value, seconds: lives, sameSite: 'Lax' }),
    borrowed: (ctx, lent) => ctx.cookies.get(namesOf(lent).current) ?? null,
  }
}
