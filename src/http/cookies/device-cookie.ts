import { cookieNames } from './cookie-names.ts'
import type { Context } from '../state.ts'

/** The cookie by which a browser of an end user stays known after a sign-in. */
export interface DeviceCookie {
  /** The token of the device; null where there is none. */
  read(ctx: Context): string | null
  set(ctx: Context, token: string): void
}

const SECONDS = 180 * 24 * 60 * 60

/** Browsers send the cookie to `/api/auth` only, and not with requests of other sites. */
export function deviceCookie(publicUrl: string, cookieName: string): DeviceCookie {
  const { current: name } = cookieNames('quire_user_device', cookieName)
  const { protocol, pathname } = new URL(`${publicUrl}/api/auth`)
  // Written out: Koa's own refuses `Secure` where it cannot see that the proxy in front speaks HTTPS.
  const attributes = `Path=${pathname}; Max-Age=${SECONDS}; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`
  return {
    read: (ctx) => ctx.cookies.get(name) ?? null,
    set: (ctx, token) => {
      ctx.append('Set-Cookie', `${name}=${token}; ${attributes}`)
    },
  }
}
