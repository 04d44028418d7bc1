import type { Context } from '../router/state.ts'

/** Browsers send cookies to all ports of a host, so servers on one host need different names. */
export interface CookieNames {
  readonly current: string
  /** The name without suffix from earlier releases; null if it is the current name. */
  readonly former: string | null
}

/** Browsers accept the prefix `__Host-` over HTTPS only, from the host itself. */
export const HOST_PREFIX = '__Host-'

export function cookieNames(plain: string, suffix: string): CookieNames {
  return suffix === ''
    ? { current: plain, former: null }
    : { current: `${plain}_${suffix}`, former: plain }
}

/** Reads a cookie. The former name may belong to another server, so the current name has precedence. */
export function readCookie(
  ctx: Context,
  { current, former }: CookieNames,
): { readonly name: string; readonly value: string } | null {
  for (const name of [current, former]) {
    const value = name === null ? undefined : ctx.cookies.get(name)
    if (name !== null && value !== undefined) return { name, value }
  }
  return null
}
