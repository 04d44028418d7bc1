import { cookieNames } from './cookie-names.ts'
import type { Context } from '../router/state.ts'

export interface AttemptCookie {
  read(ctx: Context): string | null
  set(ctx: Context, value: string, options: { readonly isCrossSite: boolean }): void
}

const SECONDS = 600

export function attemptCookie(publicUrl: string, cookieName: string): AttemptCookie {
  const { current: name } = cookieNames('quire_connect', cookieName)
  const { protocol, pathname } = new URL(`${publicUrl}/api/connect`)
  const isSecure = protocol === 'https:'
  return {
    read: (ctx) => ctx.cookies.get(name) ?? null,
    set: (ctx, value, { isCrossSite }) => {
      // Browsers omit `Lax` cookies from a form that another site sends, and accept `None` over HTTPS only.
      const sameSite = isCrossSite && isSecure ? 'None' : 'Lax'
      const seconds = value === '' ? 0 : SECONDS
      // Set without Koa's cookie API, which rejects `Secure` if it cannot detect that the proxy uses HTTPS.
      ctx.append(
        'Set-Cookie',
        `${name}=${value}; Path=${pathname}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`,
      )
    },
  }
}
