import type { RateLimits } from '../../people/access/rate-limit.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import {
  addPasskey,
  beginPasskey,
  listPasskeys,
  removePasskey,
  renamePasskey,
} from '../../people/administrators/passkeys.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf, parameterOf } from '../body/read-request.ts'
import { adminRouter, type BeforeAdmin } from '../router/admin-router.ts'
import { limitOwnPassword, meOf } from './me-routes.ts'

export interface PasskeyDependencies extends BeforeAdmin {
  readonly administrators: AdministratorsContext
  readonly limits: RateLimits | null
}

export function passkeyRoutes(dependencies: PasskeyDependencies): GuardedRouter {
  const { administrators, limits } = dependencies
  const admin = adminRouter('/admin/me/passkeys', dependencies)
  const limit = limitOwnPassword(limits)
  admin.get('/', null, async (ctx) => {
    ctx.body = { data: await listPasskeys(administrators, meOf(ctx).id) }
  })
  admin.post('/options', null, async (ctx) => {
    await limit(ctx, async () => {
      ctx.body = { data: await beginPasskey(administrators, meOf(ctx), payloadOf(ctx) ?? {}) }
    })
  })
  admin.post('/', null, async (ctx) => {
    ctx.body = { data: await addPasskey(administrators, meOf(ctx), payloadOf(ctx)) }
    ctx.status = 201
  })
  admin.put('/:id', null, async (ctx) => {
    const id = parameterOf(ctx, 'id')
    ctx.body = { data: await renamePasskey(administrators, meOf(ctx), id, payloadOf(ctx)) }
  })
  admin.delete('/:id', null, async (ctx) => {
    await removePasskey(administrators, meOf(ctx), parameterOf(ctx, 'id'))
    ctx.status = 204
  })
  return admin.router
}
