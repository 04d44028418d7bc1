import { contentAction, type ContentVerb, contentVerbs } from '../../people/access/actions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { parameterOf, readQuery } from '../body/read-request.ts'
import type { CachedReads, PreparedRead } from '../reads/cached-reads.ts'
import { prepareEntry, prepareList } from '../reads/content-reads.ts'
import type { ListQuery, ListRequest } from '../reads/list-queries.ts'
import { readPopulated } from '../reads/query-rules.ts'
import { assertKnownBody, assertKnownParameters } from '../reads/strict-request.ts'
import {
  type Guarded,
  type GuardedRouter,
  guardedRouter,
  permittedUnderRule,
} from '../router/guarded-router.ts'
import {
  act,
  type ContentHandler,
  type ContentRequest,
  type ContentRouteDependencies,
  create,
  remove,
  update,
  VERSION_ACTIONS,
} from './handlers.ts'

export interface ServedContentDependencies extends ContentRouteDependencies {
  readonly reads: CachedReads
  readonly listQuery: (asked: ListRequest) => ListQuery
}

type PrepareRead = (request: Omit<ContentRequest, 'query' | 'endpoint'>) => PreparedRead

export function contentRoutes(
  plan: ContentTypePlan,
  dependencies: ServedContentDependencies,
): GuardedRouter {
  const isSingle = plan.kind === 'singleType'
  const name = isSingle ? plan.singularName : plan.pluralName
  const router = guardedRouter(`/api/${name}`)
  const { authenticate, readBody } = dependencies
  const handle = (verb: ContentVerb, handler: ContentHandler): Guarded =>
    permittedUnderRule(contentAction(plan, verb), async (ctx) => {
      assertKnownParameters(ctx, dependencies.api)
      assertKnownBody(ctx, dependencies.api)
      const locales = await dependencies.locales.current()
      const asked = { ctx, plan, query: readQuery(ctx.querystring), locales }
      await handler({ ...asked, endpoint: `/api/${name}` }, dependencies)
    })
  const read = (verb: ContentVerb, prepare: PrepareRead): Guarded =>
    permittedUnderRule(contentAction(plan, verb), async (ctx) => {
      assertKnownParameters(ctx, dependencies.api)
      const locales = await dependencies.locales.current()
      const documentId = verb === 'findOne' ? parameterOf(ctx, 'documentId') : null
      await dependencies.reads.answer(ctx, { uid: plan.uid, documentId, locales }, () =>
        prepare({ ctx, plan, locales }),
      )
    })
  const entry: PrepareRead = (asked) =>
    prepareEntry({ ...asked, query: readPopulated(asked.ctx, plan) }, dependencies)
  const list: PrepareRead = (asked) =>
    prepareList(asked.ctx, dependencies.listQuery(asked), dependencies.documents)
  for (const action of plan.draftAndPublish ? VERSION_ACTIONS : []) {
    const path = `${isSingle ? '' : '/:documentId'}/actions/${action.name}`
    router.post(path, readBody, authenticate, handle(action.verb, act(action)))
  }
  if (isSingle) {
    router.get('/', authenticate, read('find', entry))
    router.put('/', readBody, authenticate, handle('update', update))
    router.delete('/', authenticate, handle('delete', remove))
    return router
  }
  router.get('/', authenticate, read('find', list))
  router.get('/:documentId', authenticate, read('findOne', entry))
  const verbs = contentVerbs(plan)
  if (verbs.includes('create')) router.post('/', readBody, authenticate, handle('create', create))
  if (!verbs.includes('update')) return router
  router.put('/:documentId', readBody, authenticate, handle('update', update))
  router.delete('/:documentId', authenticate, handle('delete', remove))
  return router
}
