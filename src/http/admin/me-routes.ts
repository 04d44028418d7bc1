import { readInput } from '../../people/access/input.ts'
import Joi from 'joi'
import type { AdministratorPrincipal } from '../../people/access/principal.ts'
import type { RateLimits } from '../../people/access/rate-limit.ts'
import {
  type AdministratorsContext,
  updateOwn,
} from '../../people/administrators/administrators.ts'
import { changeAdministratorPassword, signOut } from '../../people/administrators/sign-in.ts'
import { NotFoundError } from '../../base/errors.ts'
import type { AdminCookie } from '../admin-cookie/admin-cookie.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { limitRate } from '../middleware/limit-rate.ts'
import { payloadOf, parameterOf } from '../body/read-request.ts'
import type { Context, Middleware } from '../router/state.ts'
import { type AdminRouter, adminRouter, type BeforeAdmin } from '../router/admin-router.ts'

export interface MeDependencies extends BeforeAdmin {
  readonly cookie: AdminCookie
  readonly administrators: AdministratorsContext
  readonly limits: RateLimits | null
}

const PREFERENCE = Joi.object<{ readonly value: unknown }>({ value: Joi.any().required() })

export function meRoutes(dependencies: MeDependencies): GuardedRouter {
  const admin = adminRouter('/admin/me', dependencies)
  const { administrators, limits, cookie } = dependencies
  admin.put('/', null, async (ctx) => {
    ctx.body = { data: await updateOwn(administrators, meOf(ctx).id, payloadOf(ctx)) }
  })
  const limit = limitOwnPassword(limits)
  admin.post('/password', null, async (ctx) => {
    await limit(ctx, async () => {
      cookie.setDevice(
        ctx,
        await changeAdministratorPassword(administrators, meOf(ctx), payloadOf(ctx)),
      )
    })
    ctx.status = 204
  })
  addSessions(admin, dependencies)
  addPreferences(admin, dependencies)
  return admin.router
}

function addSessions(admin: AdminRouter, { administrators }: MeDependencies): void {
  admin.get('/sessions', null, async (ctx) => {
    const { id, session } = meOf(ctx)
    const all = await administrators.sessions.list(id)
    ctx.body = { data: all.map((one) => ({ ...one, current: one.id === session })) }
  })
  admin.delete('/sessions/:id', null, async (ctx) => {
    const ended = await signOut(administrators, meOf(ctx).id, parameterOf(ctx, 'id'))
    if (!ended) throw new NotFoundError('There is no such session')
    ctx.status = 204
  })
}

function addPreferences(
  admin: AdminRouter,
  { administrators: { preferences } }: MeDependencies,
): void {
  admin.get('/preferences', null, async (ctx) => {
    ctx.body = { data: await preferences.all(meOf(ctx).id) }
  })
  admin.put('/preferences/:key', null, async (ctx) => {
    const { value } = readInput(PREFERENCE, payloadOf(ctx))
    await preferences.put(meOf(ctx).id, parameterOf(ctx, 'key'), value)
    ctx.body = { data: { key: parameterOf(ctx, 'key'), value } }
  })
}

export function limitOwnPassword(limits: RateLimits | null): Middleware {
  return limitRate(limits, '/admin/me/password', { accountOf: (ctx) => meOf(ctx).id })
}

/** @throws NotFoundError for root */
export function meOf({ state: { principal } }: Context): AdministratorPrincipal {
  if (principal.kind !== 'administrator') throw new NotFoundError('There is no session')
  return principal
}
