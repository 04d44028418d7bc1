import { cookieNames } from './cookie-names.ts'
import type { Context } from '../router/state.ts'

/** Binds the code of a redirect to the browser that received it, until the code is used. */
export interface RedirectCookie {
  read(ctx: Context): string | null
  /** Null deletes the cookie. */
  set(ctx: Context, secret: string | null): void
}

/** Lifetime of the code. */
const SECONDS = 60

export function redirectCookie(publicUrl: string, cookieName: string): RedirectCookie {
  const { current: name } = cookieNames('quire_redirect', cookieName)
  const { protocol, pathname } = new URL(`${publicUrl}/api/auth`)
  return {
    read: (ctx) => ctx.cookies.get(name) ?? null,
    set: (ctx, secret) => {
      // Set without Koa's cookie API, which rejects `Secure` if it cannot detect that the proxy uses HTTPS.
      ctx.append(
        'Set-Cookie',
        `${name}=${secret ?? ''}; Path=${pathname}; Max-Age=${secret === null ? 0 : SECONDS}; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`,
      )
    },
  }
}
