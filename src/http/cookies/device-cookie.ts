import { cookieNames } from './cookie-names.ts'
import type { Context } from '../router/state.ts'

export interface DeviceCookie {
  read(ctx: Context): string | null
  set(ctx: Context, token: string): void
}

const SECONDS = 180 * 24 * 60 * 60

/** Browsers send the cookie to `/api/auth` only, and not with cross-site subrequests. */
export function deviceCookie(publicUrl: string, cookieName: string): DeviceCookie {
  const { current: name } = cookieNames('quire_user_device', cookieName)
  const { protocol, pathname } = new URL(`${publicUrl}/api/auth`)
  // Set without Koa's cookie API, which rejects `Secure` if it cannot detect that the proxy uses HTTPS.
  const attributes = `Path=${pathname}; Max-Age=${SECONDS}; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`
  return {
    read: (ctx) => ctx.cookies.get(name) ?? null,
    set: (ctx, token) => {
      ctx.append('Set-Cookie', `${name}=${token}; ${attributes}`)
    },
  }
}
