import Joi from 'joi'
import { readInput } from '../../people/access/input.ts'
import { may } from '../../people/access/permissions.ts'
import { administratorAction } from '../../people/access/administrator-actions.ts'
import type { ListView, ListViewInput, ViewOwner } from '../../people/administrators/list-views.ts'
import { parameterOf, payloadOf } from '../body/read-request.ts'
import { type EditorContentDependencies, planOf, readersOfType } from '../content/editor-content.ts'
import { adminRouter } from '../router/admin-router.ts'
import type { GuardedRouter, RouteMethod } from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'
import { meOf } from './me-routes.ts'

const MAX_NAME_LENGTH = 80

const NAME = Joi.string()
  .max(MAX_NAME_LENGTH)
  .pattern(/^(?=\s*\S)\P{Cc}*$/u)
/** The Studio ignores unknown members. */
const SEARCH = Joi.object().unknown()

const NEW = Joi.object<ListViewInput>({
  name: NAME.required(),
  shared: Joi.boolean().required(),
  search: SEARCH.required(),
})
const CHANGE = Joi.object<Partial<ListViewInput>>({
  name: NAME,
  shared: Joi.boolean(),
  search: SEARCH,
})

type Handler = (ctx: Context, uid: string, owner: ViewOwner) => Promise<void>

/** Saved lists of the Studio. */
export function viewRoutes(dependencies: EditorContentDependencies): GuardedRouter {
  const admin = adminRouter('/admin/views', dependencies)
  const { listViews } = dependencies.administrators
  const add = (method: RouteMethod, path: string, handler: Handler): void => {
    const guard = (run: (ctx: Context) => Promise<void>) => readersOfType(dependencies, run)
    admin.guarded(method, `/:uid${path}`, guard, (ctx) =>
      handler(ctx, planOf(ctx, dependencies).uid, ownerOf(ctx)),
    )
  }
  add('get', '', async (ctx, uid, owner) => {
    const views = await listViews.list(uid, owner)
    ctx.body = { data: await Promise.all(views.map((view) => shown(dependencies, view))) }
  })
  add('post', '', async (ctx, uid, owner) => {
    const added = await listViews.add(uid, owner, readInput(NEW, payloadOf(ctx)))
    ctx.status = 201
    ctx.body = { data: await shown(dependencies, added) }
  })
  add('put', '/:id', async (ctx, uid, owner) => {
    const change = readInput(CHANGE, payloadOf(ctx))
    const changed = await listViews.change(uid, parameterOf(ctx, 'id'), owner, change)
    ctx.body = { data: await shown(dependencies, changed) }
  })
  add('delete', '/:id', async (ctx, uid, owner) => {
    await listViews.remove(uid, parameterOf(ctx, 'id'), owner)
    ctx.status = 204
  })
  return admin.router
}

/** @throws NotFoundError for root, which saves no views */
function ownerOf(ctx: Context): ViewOwner {
  const { principal } = ctx.state
  const manages = may(principal, administratorAction('admin::administrators', 'update'))
  return { id: meOf(ctx).id, manages }
}

/** With the name of its creator, or null after the removal of that administrator. */
async function shown(
  { administrators: { versionedCache } }: EditorContentDependencies,
  { by, ...view }: ListView,
): Promise<object> {
  const { administrators } = await versionedCache.current()
  return { ...view, by: administrators.find(({ _id }) => _id === by)?.name ?? null }
}
