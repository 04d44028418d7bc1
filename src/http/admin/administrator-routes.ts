import { administratorAction as may } from '../../people/access/administrator-actions.ts'
import {
  createAdministratorRole,
  getAdministratorRole,
  type IsLocalized,
  listAdministratorRoles,
  removeAdministratorRole,
  updateAdministratorRole,
} from '../../people/administrators/administrator-roles.ts'
import {
  type AdministratorsContext,
  createAdministrator,
  getAdministrator,
  isOwn,
  listAdministrators,
  makePasswordToken,
  removeAdministrator,
  updateAdministrator,
} from '../../people/administrators/administrators.ts'
import { resetTotp } from '../../people/administrators/totp.ts'
import type { RateLimits } from '../../people/access/rate-limit.ts'
import type { Log } from '../../base/log.ts'
import type { Mailer } from '../../people/accounts/mailer.ts'
import { studioLink } from '../../people/administrators/studio-links.ts'
import type { Schema } from '../../schema/plan.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf, parameterOf } from '../body/read-request.ts'
import { limitOwnPassword } from './me-routes.ts'
import { type AdminRouter, adminRouter, type BeforeAdmin } from '../router/admin-router.ts'

export interface AdministratorRouteDependencies extends BeforeAdmin {
  readonly administrators: AdministratorsContext
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly publicUrl: string
  /** If null, links are shown but not mailed. */
  readonly mailer: Mailer | null
  readonly limits: RateLimits | null
  readonly log: Pick<Log, 'warn'>
}

export function administratorRoutes(dependencies: AdministratorRouteDependencies): GuardedRouter {
  const admin = adminRouter('/admin', dependencies)
  addPeople(admin, dependencies)
  addRoles(admin, dependencies)
  return admin.router
}

function addPeople(admin: AdminRouter, dependencies: AdministratorRouteDependencies): void {
  const { administrators, publicUrl } = dependencies
  const path = '/administrators'
  const limit = limitOwnPassword(dependencies.limits)
  admin.get(path, may('admin::administrators', 'read'), async (ctx) => {
    ctx.body = { data: await listAdministrators(administrators) }
  })
  admin.post(path, may('admin::administrators', 'create'), async (ctx) => {
    const created = await createAdministrator(administrators, ctx.state.principal, payloadOf(ctx))
    ctx.status = 201
    ctx.body = { data: created }
  })
  admin.put(`${path}/:id`, may('admin::administrators', 'update'), async (ctx) => {
    const { principal } = ctx.state
    const id = parameterOf(ctx, 'id')
    const body = payloadOf(ctx)
    const update = async (): Promise<void> => {
      ctx.body = { data: await updateAdministrator(administrators, principal, id, body) }
    }
    await (isOwn(principal, id) && givesPassword(body) ? limit(ctx, update) : update())
  })
  admin.delete(`${path}/:id`, may('admin::administrators', 'delete'), async (ctx) => {
    const { principal } = ctx.state
    ctx.body = {
      data: await removeAdministrator(administrators, principal, parameterOf(ctx, 'id')),
    }
  })
  admin.delete(`${path}/:id/totp`, may('admin::administrators', 'reset'), async (ctx) => {
    const { principal } = ctx.state
    ctx.body = { data: await resetTotp(administrators, principal, parameterOf(ctx, 'id')) }
  })
  admin.post(`${path}/:id/reset`, may('admin::administrators', 'reset'), async (ctx) => {
    const { principal } = ctx.state
    const id = parameterOf(ctx, 'id')
    const token = await makePasswordToken(administrators, principal, id)
    const link = studioLink(publicUrl, 'password', token)
    const mailed = await mailLink(dependencies, id, link)
    ctx.status = 201
    ctx.body = { data: { link, mailed } }
  })
}

/** Returns true if the link was mailed. A failure is only logged, because the response shows the link as well. */
async function mailLink(
  { administrators, mailer, log }: AdministratorRouteDependencies,
  id: string,
  link: string,
): Promise<boolean> {
  if (mailer === null) return false
  const { email } = await getAdministrator(administrators, id)
  const text = `Choose a password for the Studio here: ${link}\n\nThe link is valid once and for one hour.\n`
  try {
    await mailer.send({ to: email, subject: 'Choose a password', text })
    return true
  } catch (err) {
    log.warn({ err }, 'The link to choose a password could not be mailed')
    return false
  }
}

function givesPassword(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'currentPassword')
}

function addRoles(
  admin: AdminRouter,
  { administrators, schema }: AdministratorRouteDependencies,
): void {
  const path = '/administrator-roles'
  const isLocalized: IsLocalized = (uid) => schema.contentTypes.get(uid)?.localized === true
  admin.get(path, may('admin::administrator-roles', 'read'), async (ctx) => {
    ctx.body = { data: await listAdministratorRoles(administrators) }
  })
  admin.post(path, may('admin::administrator-roles', 'create'), async (ctx) => {
    const { principal } = ctx.state
    const created = await createAdministratorRole(
      administrators,
      principal,
      payloadOf(ctx),
      isLocalized,
    )
    ctx.status = 201
    ctx.body = { data: created }
  })
  admin.get(`${path}/:type`, may('admin::administrator-roles', 'read'), async (ctx) => {
    ctx.body = { data: await getAdministratorRole(administrators, parameterOf(ctx, 'type')) }
  })
  admin.put(`${path}/:type`, may('admin::administrator-roles', 'update'), async (ctx) => {
    const { principal } = ctx.state
    const type = parameterOf(ctx, 'type')
    const body = payloadOf(ctx)
    const changed = updateAdministratorRole(administrators, principal, type, body, isLocalized)
    ctx.body = { data: await changed }
  })
  admin.delete(`${path}/:type`, may('admin::administrator-roles', 'delete'), async (ctx) => {
    const { principal } = ctx.state
    const type = parameterOf(ctx, 'type')
    ctx.body = { data: await removeAdministratorRole(administrators, principal, type) }
  })
}
