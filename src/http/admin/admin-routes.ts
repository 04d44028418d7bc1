import Joi from 'joi'
import type { Access } from '../../people/access/access.ts'
import { type Actions, contentAction, contentVerbs } from '../../people/access/actions.ts'
import { administratorAction as may } from '../../people/access/administrator-actions.ts'
import { readInput, shortText } from '../../people/access/input.ts'
import type { AssertToken } from '../../people/access/api-tokens.ts'
import { assertMayPermit } from '../../people/access/permissions.ts'
import type { AssertMayChange } from '../../people/access/roles.ts'
import type { LocaleInput, Locales } from '../../content/locales/locales.ts'
import { NotFoundError } from '../../base/errors.ts'
import {
  type ContentTypePlan,
  type Schema,
  isTitleSearched,
  titleFieldOf,
} from '../../schema/plan.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf, parameterOf } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { type AdminRouter, adminRouter, type BeforeAdmin } from '../router/admin-router.ts'

export interface Management extends BeforeAdmin {
  readonly access: Access
  readonly locales: Locales
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly administratorActions: Actions
}

const LOCALE = { name: shortText(), isDefault: Joi.boolean() }
const NEW_LOCALE = Joi.object<LocaleInput>({ code: Joi.string().required(), ...LOCALE })
const LOCALE_CHANGE = Joi.object<Partial<LocaleInput>>({ code: Joi.string(), ...LOCALE })

export function adminRoutes(management: Management): GuardedRouter {
  const admin = adminRouter('/admin', management)
  addLocaleRoutes(admin, management)
  addTokenRoutes(admin, management)
  addRoleRoutes(admin, management)
  addCatalogueRoutes(admin, management)
  return admin.router
}

function addLocaleRoutes(router: AdminRouter, { locales }: Management): void {
  router.get('/locales', null, async (ctx) => {
    ctx.body = { data: (await locales.current()).all }
  })
  router.post('/locales', may('admin::locales', 'create'), async (ctx) => {
    const added = await locales.add(readInput(NEW_LOCALE, payloadOf(ctx)))
    ctx.status = 201
    ctx.body = { data: added }
  })
  router.put('/locales/:code', may('admin::locales', 'update'), async (ctx) => {
    const change = readInput(LOCALE_CHANGE, payloadOf(ctx))
    ctx.body = { data: await locales.update(parameterOf(ctx, 'code'), change) }
  })
  router.delete('/locales/:code', may('admin::locales', 'delete'), async (ctx) => {
    ctx.body = { data: await locales.remove(parameterOf(ctx, 'code')) }
  })
}

function addTokenRoutes(router: AdminRouter, { access: { apiTokens } }: Management): void {
  router.get('/api-tokens', may('admin::api-tokens', 'read'), async (ctx) => {
    ctx.body = { data: await apiTokens.list() }
  })
  router.post('/api-tokens', may('admin::api-tokens', 'create'), async (ctx) => {
    const created = await apiTokens.create(payloadOf(ctx), mayGrant(ctx))
    ctx.status = 201
    ctx.body = { data: created }
  })
  router.put('/api-tokens/:id', may('admin::api-tokens', 'update'), async (ctx) => {
    ctx.body = {
      data: await apiTokens.update(
        toTokenId(parameterOf(ctx, 'id')),
        payloadOf(ctx),
        mayGrant(ctx),
      ),
    }
  })
  router.delete('/api-tokens/:id', may('admin::api-tokens', 'delete'), async (ctx) => {
    const id = toTokenId(parameterOf(ctx, 'id'))
    ctx.body = { data: await apiTokens.remove(id, mayGrant(ctx)) }
  })
  router.post('/api-tokens/:id/regenerate', may('admin::api-tokens', 'regenerate'), async (ctx) => {
    const renewed = await apiTokens.regenerate(toTokenId(parameterOf(ctx, 'id')), mayGrant(ctx))
    ctx.status = 201
    ctx.body = { data: renewed }
  })
}

function addRoleRoutes(router: AdminRouter, { access: { roles } }: Management): void {
  router.get('/roles', may('admin::roles', 'read'), async (ctx) => {
    ctx.body = { data: await roles.list() }
  })
  router.post('/roles', may('admin::roles', 'create'), async (ctx) => {
    const created = await roles.create(payloadOf(ctx), roleGuard(ctx))
    ctx.status = 201
    ctx.body = { data: created }
  })
  router.get('/roles/:type', may('admin::roles', 'read'), async (ctx) => {
    ctx.body = { data: await roles.get(parameterOf(ctx, 'type')) }
  })
  router.put('/roles/:type', may('admin::roles', 'update'), async (ctx) => {
    ctx.body = {
      data: await roles.update(parameterOf(ctx, 'type'), payloadOf(ctx), roleGuard(ctx)),
    }
  })
  router.delete('/roles/:type', may('admin::roles', 'delete'), async (ctx) => {
    ctx.body = { data: await roles.remove(parameterOf(ctx, 'type'), roleGuard(ctx)) }
  })
}

function addCatalogueRoutes(
  router: AdminRouter,
  { access, schema, administratorActions }: Management,
): void {
  const contentTypes = [...schema.contentTypes.values()]
    .filter((plan) => plan.uid.startsWith('api::'))
    .map(describe)
  router.get('/content-types', null, (ctx) => {
    ctx.body = { data: contentTypes }
  })
  router.get('/actions', null, (ctx) => {
    ctx.body = { data: access.actions.all }
  })
  router.get('/administrator-actions', null, (ctx) => {
    ctx.body = { data: administratorActions.all }
  })
}

function mayGrant({ state: { principal } }: Context): AssertToken {
  return (actions, rules) => assertMayPermit(principal, actions, rules)
}

function roleGuard(ctx: Context): AssertMayChange {
  return (changed, rules) => assertMayPermit(ctx.state.principal, changed, rules)
}

function describe(plan: ContentTypePlan) {
  const { uid, kind, singularName, pluralName, displayName, icon } = plan
  const { draftAndPublish, localized } = plan
  const actions = contentVerbs(plan).map((verb) => contentAction(plan, verb))
  const titleField = titleFieldOf(plan)
  return {
    uid,
    kind,
    singularName,
    pluralName,
    displayName,
    ...(icon !== undefined && { icon }),
    draftAndPublish,
    localized,
    searched: isTitleSearched(plan),
    adopted: plan.adopted !== undefined,
    titleField,
    actions,
  }
}

function toTokenId(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) {
    throw new NotFoundError('There is no such API token')
  }
  return Number(text)
}
