import { administratorAction as may } from '../../access/administrator-actions.ts'
import {
  createAdministratorRole,
  getAdministratorRole,
  type IsLocalized,
  listAdministratorRoles,
  removeAdministratorRole,
  updateAdministratorRole,
} from '../../administrators/administrator-roles.ts'
import {
  type AdministratorsContext,
  createAdministrator,
  listAdministrators,
  makePasswordToken,
  removeAdministrator,
  updateAdministrator,
} from '../../administrators/administrators.ts'
import { studioLink } from '../../administrators/studio-links.ts'
import type { Schema } from '../../schema/plan.ts'
import type { GuardedRouter } from '../guarded-router.ts'
import { bodyOf, parameterOf } from '../read-request.ts'
import { type AdminRouter, adminRouter, type BeforeAdmin } from '../admin-router.ts'

export interface AdministratorRouteDependencies extends BeforeAdmin {
  readonly administrators: AdministratorsContext
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly publicUrl: string
}

/** Administrators and their roles: a principal cannot grant permissions that it lacks. */
export function administratorRoutes(dependencies: AdministratorRouteDependencies): GuardedRouter {
  const admin = adminRouter('/admin', dependencies)
  addPeople(admin, dependencies)
  addRoles(admin, dependencies)
  return admin.router
}

function addPeople(
  admin: AdminRouter,
  { administrators, publicUrl }: AdministratorRouteDependencies,
): void {
  const path = '/administrators'
  admin.get(path, may('admin::administrators', 'read'), async (ctx) => {
    ctx.body = { data: await listAdministrators(administrators) }
  })
  admin.post(path, may('admin::administrators', 'create'), async (ctx) => {
    const created = await createAdministrator(administrators, ctx.state.principal, bodyOf(ctx))
    ctx.status = 201
    ctx.body = { data: created }
  })
  admin.put(`${path}/:id`, may('admin::administrators', 'update'), async (ctx) => {
    const { principal } = ctx.state
    const id = parameterOf(ctx, 'id')
    ctx.body = { data: await updateAdministrator(administrators, principal, id, bodyOf(ctx)) }
  })
  admin.delete(`${path}/:id`, may('admin::administrators', 'delete'), async (ctx) => {
    const { principal } = ctx.state
    ctx.body = {
      data: await removeAdministrator(administrators, principal, parameterOf(ctx, 'id')),
    }
  })
  admin.post(`${path}/:id/reset`, may('admin::administrators', 'reset'), async (ctx) => {
    const { principal } = ctx.state
    const token = await makePasswordToken(administrators, principal, parameterOf(ctx, 'id'))
    ctx.status = 201
    ctx.body = { data: { link: studioLink(publicUrl, 'password', token) } }
  })
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
      bodyOf(ctx),
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
    const body = bodyOf(ctx)
    const changed = updateAdministratorRole(administrators, principal, type, body, isLocalized)
    ctx.body = { data: await changed }
  })
  admin.delete(`${path}/:type`, may('admin::administrator-roles', 'delete'), async (ctx) => {
    const { principal } = ctx.state
    const type = parameterOf(ctx, 'type')
    ctx.body = { data: await removeAdministratorRole(administrators, principal, type) }
  })
}
