import { contentAction, type ContentVerb, contentVerbs } from '../../access/actions.ts'
import { findDocuments } from '../../documents/read/find-documents.ts'
import { type EntryState, findStates } from '../../documents/read/find-states.ts'
import { singleDocumentId } from '../../documents/write/single-document-id.ts'
import { NotFoundError } from '../../errors.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { VersionSelection } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { listEnvelope } from '../envelope.ts'
import { administratorsOf, type Guarded, type GuardedRouter } from '../guarded-router.ts'
import { dataOf, parameterOf, readQuery } from '../read-request.ts'
import type { Context } from '../state.ts'
import { adminRouter } from './admin-router.ts'
import { boundLocales } from './bound-locales.ts'
import {
  act,
  assertMayRead,
  type ContentHandler,
  type ContentRequest,
  type ContentRouteDependencies,
  create,
  findOne,
  remove,
  update,
  VERSION_ACTIONS,
} from '../routes/content-routes.ts'
import { rulesOf } from '../routes/query-rules.ts'

/** `schema` and `documents` are those of editors: private attributes are among what they show. */
export type EditorContentDependencies = ContentRouteDependencies

/** What a kind of request has beside its handler. */
interface Manner {
  readonly verb: ContentVerb
  /** `read` and `write` are of drafts unless the query says otherwise; `action` is for types with draft & publish. */
  readonly of: 'read' | 'write' | 'delete' | 'action'
}

/** `/admin/content/:uid`: the content of every type, for who writes it, under the checks that tokens have. */
export function editorContentRoutes(dependencies: EditorContentDependencies): GuardedRouter {
  const admin = adminRouter('/admin/content', dependencies)
  const handle = (manner: Manner, handler: ContentHandler): Guarded =>
    administratorsOf(
      manner.verb,
      (ctx) => contentAction(planOf(ctx, dependencies), verbOf(ctx, dependencies, manner)),
      (ctx) => run(ctx, dependencies, manner, handler),
    )
  admin.guarded('get', '/:uid', handle({ verb: 'find', of: 'read' }, list))
  admin.guarded('post', '/:uid', handle({ verb: 'create', of: 'write' }, createOne))
  const one = '/:uid/:documentId'
  admin.guarded('get', one, handle({ verb: 'findOne', of: 'read' }, findOne))
  admin.guarded('put', one, handle({ verb: 'update', of: 'write' }, update))
  admin.guarded('delete', one, handle({ verb: 'delete', of: 'delete' }, remove))
  for (const action of VERSION_ACTIONS) {
    const manner = { verb: action.verb, of: 'action' } as const
    admin.guarded('post', `${one}/actions/${action.name}`, handle(manner, act(action)))
  }
  return admin.router
}

async function run(
  ctx: Context,
  dependencies: EditorContentDependencies,
  manner: Manner,
  handler: ContentHandler,
): Promise<void> {
  const plan = planOf(ctx, dependencies)
  assertSingle(ctx, plan)
  const given = readQuery(ctx.querystring)
  const query = isOfDrafts(manner) ? { status: 'draft', ...withLocale(ctx, given) } : given
  const verb = verbOf(ctx, dependencies, manner)
  const actions = [verb, ...furtherVerbs(plan, manner, query)].map((one) =>
    contentAction(plan, one),
  )
  const locales = boundLocales(ctx, plan, query, actions, await dependencies.locales.current())
  await handler({ ctx, plan, query, locales, endpoint: `/admin/content/${plan.uid}` }, dependencies)
}

function isOfDrafts({ of }: Manner): boolean {
  return of === 'read' || of === 'write'
}

/** @throws NotFoundError for a documentId that is not the one of a single type */
function assertSingle(ctx: Context, { kind, uid }: ContentTypePlan): void {
  const { documentId } = ctx['params'] as Readonly<Record<string, string | undefined>>
  if (kind === 'collectionType' || documentId === undefined) return
  if (documentId !== singleDocumentId(uid)) throw new NotFoundError('Not Found')
}

/** Who may not publish does not, whichever way; who may not see drafts sees none. */
function furtherVerbs(
  { draftAndPublish }: ContentTypePlan,
  { of }: Manner,
  { status }: Data,
): readonly ContentVerb[] {
  if (!draftAndPublish) return []
  if (of === 'read') return status === 'draft' ? ['readDrafts'] : []
  return of === 'write' && status !== 'draft' ? ['publish'] : []
}

/** A body may say the locale of what it creates: it counts like the query's, before anything is asked. */
function withLocale(ctx: Context, query: Data): Data {
  if (ctx.method !== 'POST' || (query['locale'] ?? '') !== '') return query
  const { locale } = dataOf(ctx) as { readonly locale?: unknown }
  return typeof locale === 'string' && locale !== '' ? { ...query, locale } : query
}

async function list(
  { ctx, plan, query, locales }: ContentRequest,
  dependencies: EditorContentDependencies,
): Promise<void> {
  const { database } = dependencies.documents
  const parsed = parseQuery(query, plan, rulesOf(ctx, dependencies, locales))
  assertMayRead(ctx, plan, parsed.version.status)
  const found = await findDocuments(database, parsed)
  const states = await statesOf(dependencies, plan, found.entries, parsed.version)
  const { data, meta } = listEnvelope(found, parsed.page)
  ctx.body = { data, meta: { ...meta, states } }
}

/** By documentId; where entries are of several locales by `documentId:locale`. */
async function statesOf(
  { documents: { database } }: EditorContentDependencies,
  plan: ContentTypePlan,
  entries: readonly Data[],
  { locales }: VersionSelection,
): Promise<Readonly<Record<string, EntryState>>> {
  const lines = entries.flatMap(({ documentId, locale }) =>
    (typeof locale === 'string' ? [locale] : locales).map((code) => ({
      documentId: String(documentId),
      locale: code,
    })),
  )
  const found = await findStates(database, plan, lines)
  const isOne = locales.length === 1
  return Object.fromEntries(
    found.map(({ documentId, locale, state }) => [
      isOne ? documentId : `${documentId}:${locale}`,
      state,
    ]),
  )
}

/** A single type is there once, under a documentId of its own. */
async function createOne(
  request: ContentRequest,
  dependencies: EditorContentDependencies,
): Promise<void> {
  if (request.plan.kind === 'collectionType') return create(request, dependencies)
  await update(request, dependencies)
  request.ctx.status = 201
}

/** @throws NotFoundError */
function planOf(ctx: Context, { schema }: EditorContentDependencies): ContentTypePlan {
  const uid = parameterOf(ctx, 'uid')
  const plan = uid.startsWith('api::') ? schema.contentTypes.get(uid) : undefined
  if (plan === undefined) throw new NotFoundError('There is no such content-type')
  return plan
}

/** What is asked for of a single type, which has fewer verbs. @throws NotFoundError for what a type does not have */
function verbOf(
  ctx: Context,
  dependencies: EditorContentDependencies,
  { verb, of }: Manner,
): ContentVerb {
  const plan = planOf(ctx, dependencies)
  const own = plan.kind === 'singleType' ? (SINGLE_VERBS[verb] ?? verb) : verb
  const isThere = of !== 'action' || plan.draftAndPublish
  if (!isThere || !contentVerbs(plan).includes(own)) throw new NotFoundError('Not Found')
  return own
}

const SINGLE_VERBS: Readonly<Partial<Record<ContentVerb, ContentVerb>>> = {
  findOne: 'find',
  create: 'update',
}
