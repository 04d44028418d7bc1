import { ForbiddenError } from '../../errors.ts'
import type { Context } from '../state.ts'

/**
 * Whether a page of our own sent the request. Browsers say so in `Sec-Fetch-Site`, where they are asked by HTTPS or on the
 * same machine, and in `Origin` of everything but a plain GET; scripts cannot set either. Null where neither is sent.
 */
export function isOwnPage(ctx: Context, publicUrl: string): boolean | null {
  const site = ctx.get('Sec-Fetch-Site')
  if (site !== '') return site === 'same-origin'
  const origin = ctx.get('Origin')
  if (origin === '') return null
  return origin === new URL(publicUrl).origin || origin === `${ctx.protocol}://${ctx.host}`
}

/** Refuses what another site made a browser send, with our cookie or to get one. @throws ForbiddenError */
export function assertOwnPage(ctx: Context, publicUrl: string): void {
  if (isOwnPage(ctx, publicUrl) === false) throw crossSite()
}

export function crossSite(): ForbiddenError {
  return new ForbiddenError(
    'Requests with a cookie must have the same origin',
    {},
    { code: 'cross_site' },
  )
}
