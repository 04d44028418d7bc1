import { Router } from '@koa/router'
import Joi from 'joi'
import type { Access } from '../../access/access.ts'
import { contentAction, contentVerbs } from '../../access/actions.ts'
import { readInput, shortText } from '../../access/input.ts'
import { assertAdministrator } from '../../access/permissions.ts'
import type { LocaleInput, Locales } from '../../locales/locales.ts'
import { NotFoundError } from '../../errors.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { bodyOf, parameterOf } from '../read-request.ts'
import type { Middleware, RequestState } from '../state.ts'

export interface Management {
  readonly access: Access
  readonly locales: Locales
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly readBody: Middleware
  readonly authenticate: Middleware
}

type AdminRouter = Router<RequestState>

const LOCALE = { name: shortText(), isDefault: Joi.boolean() }
const NEW_LOCALE = Joi.object<LocaleInput>({ code: Joi.string().required(), ...LOCALE })
const LOCALE_CHANGE = Joi.object<Partial<LocaleInput>>({ code: Joi.string(), ...LOCALE })

/**
 * The management API under `/admin`: every answer is `{ data }`, and only an administrator gets one.
 * Bodies are read from `ctx.request.body`.
 */
export function adminRoutes(management: Management): AdminRouter {
  const router: AdminRouter = new Router<RequestState>({ prefix: '/admin', sensitive: true })
  router.use(management.readBody, management.authenticate, administratorsOnly())
  addLocaleRoutes(router, management)
  addTokenRoutes(router, management)
  addRoleRoutes(router, management)
  addCatalogueRoutes(router, management)
  return router
}

function administratorsOnly(): Middleware {
  return async (ctx, next) => {
    assertAdministrator(ctx.state.principal)
    ctx.set('Cache-Control', 'no-store')
    await next()
  }
}

function addLocaleRoutes(router: AdminRouter, { locales }: Management): void {
  router.get('/locales', async (ctx) => {
    ctx.body = { data: (await locales.current()).all }
  })
  router.post('/locales', async (ctx) => {
    const added = await locales.add(readInput(NEW_LOCALE, bodyOf(ctx)))
    ctx.status = 201
    ctx.body = { data: added }
  })
  router.put('/locales/:code', async (ctx) => {
    const change = readInput(LOCALE_CHANGE, bodyOf(ctx))
    ctx.body = { data: await locales.update(parameterOf(ctx, 'code'), change) }
  })
  router.delete('/locales/:code', async (ctx) => {
    ctx.body = { data: await locales.remove(parameterOf(ctx, 'code')) }
  })
}

function addTokenRoutes(router: AdminRouter, { access: { apiTokens } }: Management): void {
  router.get('/api-tokens', async (ctx) => {
    ctx.body = { data: await apiTokens.list() }
  })
  router.post('/api-tokens', async (ctx) => {
    const created = await apiTokens.create(bodyOf(ctx))
    ctx.status = 201
    ctx.body = { data: created }
  })
  router.put('/api-tokens/:id', async (ctx) => {
    ctx.body = { data: await apiTokens.update(toTokenId(parameterOf(ctx, 'id')), bodyOf(ctx)) }
  })
  router.delete('/api-tokens/:id', async (ctx) => {
    ctx.body = { data: await apiTokens.remove(toTokenId(parameterOf(ctx, 'id'))) }
  })
  router.post('/api-tokens/:id/regenerate', async (ctx) => {
    const renewed = await apiTokens.regenerate(toTokenId(parameterOf(ctx, 'id')))
    ctx.status = 201
    ctx.body = { data: renewed }
  })
}

function addRoleRoutes(router: AdminRouter, { access: { roles } }: Management): void {
  router.get('/roles', async (ctx) => {
    ctx.body = { data: await roles.list() }
  })
  router.post('/roles', async (ctx) => {
    const created = await roles.create(bodyOf(ctx))
    ctx.status = 201
    ctx.body = { data: created }
  })
  router.get('/roles/:type', async (ctx) => {
    ctx.body = { data: await roles.get(parameterOf(ctx, 'type')) }
  })
  router.put('/roles/:type', async (ctx) => {
    ctx.body = { data: await roles.update(parameterOf(ctx, 'type'), bodyOf(ctx)) }
  })
  router.delete('/roles/:type', async (ctx) => {
    ctx.body = { data: await roles.remove(parameterOf(ctx, 'type')) }
  })
}

function addCatalogueRoutes(router: AdminRouter, { access, schema }: Management): void {
  const contentTypes = [...schema.contentTypes.values()]
    .filter((plan) => plan.uid.startsWith('api::'))
    .map(describe)
  router.get('/content-types', (ctx) => {
    ctx.body = { data: contentTypes }
  })
  router.get('/actions', (ctx) => {
    ctx.body = { data: access.actions.all }
  })
}

/** What an administrator sees of a content-type: what there is to permit. */
function describe(plan: ContentTypePlan) {
  const { uid, kind, singularName, pluralName, displayName, draftAndPublish, localized } = plan
  const actions = contentVerbs(plan).map((verb) => contentAction(plan, verb))
  return { uid, kind, singularName, pluralName, displayName, draftAndPublish, localized, actions }
}

/** @throws NotFoundError for what cannot be an id. */
function toTokenId(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) {
    throw new NotFoundError('There is no such API token')
  }
  return Number(text)
}
