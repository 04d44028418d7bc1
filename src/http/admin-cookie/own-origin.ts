import { ForbiddenError } from '../../base/errors.ts'
import type { Context } from '../router/state.ts'

/** Null without an origin. Scripts cannot set `Sec-Fetch-Site` and `Origin`. */
export function isOwnPage(ctx: Context, publicUrl: string): boolean | null {
  const site = ctx.get('Sec-Fetch-Site')
  if (site !== '') return site === 'same-origin'
  const origin = ctx.get('Origin')
  if (origin === '') return null
  return origin === new URL(publicUrl).origin || origin === `${ctx.protocol}://${ctx.host}`
}

/** @throws ForbiddenError for a cross-site request */
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
