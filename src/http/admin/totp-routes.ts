import type { RateLimits } from '../../people/access/rate-limit.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import {
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
  showTotp,
} from '../../people/administrators/totp.ts'
import type { AdminCookie } from '../admin-cookie/admin-cookie.ts'
import { payloadOf } from '../body/read-request.ts'
import { adminRouter, type BeforeAdmin } from '../router/admin-router.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { limitOwnPassword, meOf } from './me-routes.ts'

export interface TotpDependencies extends BeforeAdmin {
  readonly administrators: AdministratorsContext
  readonly cookie: AdminCookie
  readonly limits: RateLimits | null
}

export function totpRoutes(dependencies: TotpDependencies): GuardedRouter {
  const { administrators, cookie, limits } = dependencies
  const admin = adminRouter('/admin/me/totp', dependencies)
  const limit = limitOwnPassword(limits)
  admin.get('/', null, async (ctx) => {
    ctx.body = { data: await showTotp(administrators, meOf(ctx).id) }
  })
  admin.post('/', null, async (ctx) => {
    await limit(ctx, async () => {
      ctx.set('Cache-Control', 'no-store')
      ctx.body = { data: await beginTotp(administrators, meOf(ctx), payloadOf(ctx)) }
      ctx.status = 201
    })
  })
  admin.post('/confirm', null, async (ctx) => {
    await limit(ctx, async () => {
      ctx.set('Cache-Control', 'no-store')
      const confirmed = await confirmTotp(administrators, meOf(ctx), payloadOf(ctx))
      const { knownDevice, ...data } = confirmed
      cookie.setDevice(ctx, knownDevice)
      ctx.body = { data }
    })
  })
  admin.post('/recovery-codes', null, async (ctx) => {
    ctx.set('Cache-Control', 'no-store')
    ctx.body = { data: await renewRecoveryCodes(administrators, meOf(ctx)) }
    ctx.status = 201
  })
  admin.delete('/', null, async (ctx) => {
    await removeTotp(administrators, meOf(ctx))
    ctx.status = 204
  })
  return admin.router
}
