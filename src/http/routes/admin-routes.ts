import Joi from 'joi'
import type { Access } from '../../access/access.ts'
import { contentAction, contentVerbs } from '../../access/actions.ts'
import { readInput, shortText } from '../../access/input.ts'
import type { LocaleInput, Locales } from '../../locales/locales.ts'
import { NotFoundError } from '../../errors.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { administratorsOnly, type GuardedRouter, guardedRouter } from '../guarded-router.ts'
import { bodyOf, parameterOf } from '../read-request.ts'
import type { Context, Middleware } from '../state.ts'

export interface Management {
  readonly access: Access
  readonly locales: Locales
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly readBody: Middleware
  readonly authenticate: Middleware
}

type Handler = (ctx: Context) => void | Promise<void>

/** The routes of the management API: what stands before each, and its guard, are added here alone. */
interface AdminRouter {
  readonly get: (path: string, handler: Handler) => void
  readonly post: (path: string, handler: Handler) => void
  readonly put: (path: string, handler: Handler) => void
  readonly delete: (path: string, handler: Handler) => void
}

const LOCALE = { name: shortText(), isDefault: Joi.boolean() }
const NEW_LOCALE = Joi.object<LocaleInput>({ code: Joi.string().required(), ...LOCALE })
const LOCALE_CHANGE = Joi.object<Partial<LocaleInput>>({ code: Joi.string(), ...LOCALE })

/**
 * The management API under `/admin`: every answer is `{ data }`, and only an administrator gets one.
 * Bodies are read from `ctx.request.body`.
 */
export function adminRoutes(management: Management): GuardedRouter {
  const router = guardedRouter('/admin', { sensitive: true })
  const { readBody, authenticate } = management
  const adding =
    (method: keyof AdminRouter) =>
    (path: string, handler: Handler): void => {
      router[method](path, readBody, authenticate, administratorsOnly(uncached(handler)))
    }
  const admin: AdminRouter = {
    get: adding('get'),
    post: adding('post'),
    put: adding('put'),
    delete: adding('delete'),
  }
  addLocaleRoutes(admin, management)
  addTokenRoutes(admin, management)
  addRoleRoutes(admin, management)
  addCatalogueRoutes(admin, management)
  return router
}

/** Answers of the management API hold secrets: nothing keeps a copy. */
function uncached(handler: Handler): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store')
    await handler(ctx)
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
