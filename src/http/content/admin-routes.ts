import { contentAction, type ContentVerb, contentVerbs } from '../../people/access/actions.ts'
import { rulesFor } from '../../people/access/principal.ts'
import { NotFoundError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import { assertTypeWritable } from '../../schema/adopted-verbs.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { boundLocales } from '../admin/request/bound-locales.ts'
import { dataOf, readQuery } from '../body/read-request.ts'
import { adminRouter } from '../router/admin-router.ts'
import { administratorsUnderRule, type GuardedRouter } from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'
import { check, createOne, list, updateOne } from './admin-handlers.ts'
import {
  assertSingle,
  type EditorContentDependencies,
  type EditorHandler,
  ownVerb,
  planOf,
} from './editor-content.ts'
import { act, findOne, remove, VERSION_ACTIONS } from './handlers.ts'

interface RouteKind {
  readonly verb: ContentVerb
  /** `read` and `write` default to drafts. `action` and `check` require a type with draft & publish. */
  readonly kind: 'read' | 'write' | 'delete' | 'action' | 'check'
}

export function editorContentRoutes(dependencies: EditorContentDependencies): GuardedRouter {
  const admin = adminRouter('/admin/content', dependencies)
  const add = (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    routeKind: RouteKind,
    handler: EditorHandler,
  ): void => {
    const actionOf = (ctx: Context): string =>
      contentAction(planOf(ctx, dependencies), verbOf(ctx, dependencies, routeKind))
    admin.guarded(
      method,
      path,
      (handle) => administratorsUnderRule(routeKind.verb, actionOf, handle),
      (ctx) => run(ctx, dependencies, routeKind, handler),
    )
  }
  const one = '/:uid/:documentId'
  add('get', '/:uid', { verb: 'find', kind: 'read' }, list)
  add('post', '/:uid', { verb: 'create', kind: 'write' }, createOne)
  add('get', one, { verb: 'findOne', kind: 'read' }, findOne)
  add('put', one, { verb: 'update', kind: 'write' }, updateOne)
  add('delete', one, { verb: 'delete', kind: 'delete' }, remove)
  add('post', `${one}/check`, { verb: 'findOne', kind: 'check' }, check)
  for (const action of VERSION_ACTIONS) {
    const routeKind = { verb: action.verb, kind: 'action' } as const
    add('post', `${one}/actions/${action.name}`, routeKind, act(action))
  }
  return admin.router
}

async function run(
  ctx: Context,
  dependencies: EditorContentDependencies,
  routeKind: RouteKind,
  handler: EditorHandler,
): Promise<void> {
  const plan = planOf(ctx, dependencies)
  assertSingle(ctx, plan)
  const given = readQuery(ctx.querystring)
  const query = isOfDrafts(routeKind) ? { status: 'draft', ...withLocale(ctx, given) } : given
  const verb = verbOf(ctx, dependencies, routeKind)
  const { principal } = ctx.state
  const further = furtherVerbs(plan, routeKind, query)
  // Rules have no locales. The handlers apply them.
  const actions = [verb, ...further]
    .map((one) => contentAction(plan, one))
    .filter((action) => rulesFor(principal, action).length === 0)
  const locales = boundLocales(ctx, plan, query, actions, await dependencies.locales.current())
  const endpoint = `/admin/content/${plan.uid}`
  const publishes = further.includes('publish')
  await handler({ ctx, plan, query, locales, endpoint, publishes }, dependencies)
}

function isOfDrafts({ kind }: RouteKind): boolean {
  return kind === 'read' || kind === 'write'
}

function furtherVerbs(
  { draftAndPublish }: ContentTypePlan,
  { kind }: RouteKind,
  { status }: Data,
): readonly ContentVerb[] {
  if (!draftAndPublish) return []
  if (kind === 'check') return ['readDrafts']
  if (kind === 'read') return status === 'draft' ? ['readDrafts'] : []
  return kind === 'write' && status !== 'draft' ? ['publish'] : []
}

/** The locale in the body is treated like the locale of the query before permissions are checked. */
function withLocale(ctx: Context, query: Data): Data {
  if (ctx.method !== 'POST' || (query['locale'] ?? '') !== '') return query
  const { locale } = dataOf(ctx) as { readonly locale?: unknown }
  return typeof locale === 'string' && locale !== '' ? { ...query, locale } : query
}

function verbOf(
  ctx: Context,
  dependencies: EditorContentDependencies,
  { verb, kind }: RouteKind,
): ContentVerb {
  const plan = planOf(ctx, dependencies)
  const own = ownVerb(plan, verb)
  if (kind !== 'read') assertTypeWritable(plan, own)
  const isThere = (kind !== 'action' && kind !== 'check') || plan.draftAndPublish
  if (!isThere || !contentVerbs(plan).includes(own)) throw new NotFoundError('Not Found')
  return own
}
