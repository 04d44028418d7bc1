import type { RecentWork } from '../../people/administrators/recent-work.ts'
import { contentAction, type ContentVerb, contentVerbs } from '../../people/access/actions.ts'
import { findDocuments } from '../../content/read/find-documents.ts'
import { fillUids, missingUids } from '../../content/payload/fill-uids.ts'
import { retryMadeUids } from '../../content/write/retry-made-uids.ts'
import { takeTurn } from '../../content/write/take-turn.ts'
import { findStates } from '../../content/read/find-states.ts'
import { singleDocumentId } from '../../content/write/single-document-id.ts'
import { NotFoundError } from '../../base/errors.ts'
import { checkPublication } from '../../content/planning/check-publication.ts'
import { parseQuery } from '../../query/parse-query.ts'
import { parseActionLocales } from '../../query/parse-version.ts'
import type { EntryState, LocaleRules, VersionSelection } from '../../query/query.ts'
import type { Data, Definitions } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { listEnvelope } from '../answer/envelope.ts'
import { administratorsOf, type GuardedRouter } from '../router/guarded-router.ts'
import { assertNoPayload, dataOf, parameterOf, readQuery } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { adminRouter } from '../router/admin-router.ts'
import { parseState } from './request/parse-state.ts'
import { boundLocales } from './request/bound-locales.ts'
import { readEntryFacts } from './request/entry-facts.ts'
import {
  act,
  type ContentRequest,
  type ContentRouteDependencies,
  create,
  findOne,
  remove,
  update,
  VERSION_ACTIONS,
} from '../routes/content-routes.ts'
import { assertMayRead } from '../reads/content-reads.ts'
import { rulesOf } from '../reads/query-rules.ts'

/** `schema` and `documents` are those of editors, which include private attributes. */
export interface EditorContentDependencies extends ContentRouteDependencies {
  readonly recent: RecentWork
  readonly definitions: Definitions
}

type EditorHandler = (
  request: ContentRequest,
  dependencies: EditorContentDependencies,
) => Promise<void>

interface RouteKind {
  readonly verb: ContentVerb
  /** `read` and `write` default to drafts. `action` and `check` require a type with draft & publish. */
  readonly kind: 'read' | 'write' | 'delete' | 'action' | 'check'
}

/** `/admin/content/:uid`: the content of every type for editors, with the same permission checks as for tokens. */
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
      (handle) => administratorsOf(routeKind.verb, actionOf, handle),
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
  const actions = [verb, ...furtherVerbs(plan, routeKind, query)].map((one) =>
    contentAction(plan, one),
  )
  const locales = boundLocales(ctx, plan, query, actions, await dependencies.locales.current())
  await handler({ ctx, plan, query, locales, endpoint: `/admin/content/${plan.uid}` }, dependencies)
}

function isOfDrafts({ kind }: RouteKind): boolean {
  return kind === 'read' || kind === 'write'
}

/** @throws NotFoundError if the documentId is not that of the single type */
export function assertSingle(ctx: Context, { kind, uid }: ContentTypePlan): void {
  const { documentId } = ctx['params'] as Readonly<Record<string, string | undefined>>
  if (kind === 'collectionType' || documentId === undefined) return
  if (documentId !== singleDocumentId(uid)) throw new NotFoundError('Not Found')
}

/** The additional permissions: `readDrafts` to read drafts, and `publish` to write published versions. */
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

/**
 * The body may contain the locale of a new entry. It is treated like the locale of the query before permissions are
 * checked.
 */
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
  const asked = parseQuery(query, plan, rulesOf(ctx, dependencies, locales))
  const parsed = { ...asked, publication: [...asked.publication, ...parseState(query, plan)] }
  assertMayRead(ctx, plan, parsed.version.status)
  const found = await findDocuments(database, parsed)
  const states = await statesOf(dependencies, plan, found.entries, parsed.version)
  const { data, meta } = listEnvelope(found, parsed.page)
  ctx.body = { data, meta: { ...meta, states } }
}

/** States by documentId, or by `documentId:locale` for a list of several locales. */
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

/** A single type has one document with a fixed documentId. Creating it is an update. */
async function createOne(
  request: ContentRequest,
  dependencies: EditorContentDependencies,
): Promise<void> {
  const { ctx, plan } = request
  if (plan.kind === 'singleType') {
    await update(request, dependencies)
    ctx.status = 201
    return noteWork(request, dependencies, singleDocumentId(plan.uid))
  }
  const documentId = dependencies.documents.newDocumentId()
  const documents = { ...dependencies.documents, newDocumentId: () => documentId }
  const locale = localeOf(plan, request.query, request.locales)
  const { database } = documents
  const body = dataOf(ctx) as Record<string, unknown>
  const given = { ...body }
  const made = missingUids(plan, given, 'all').map(({ attribute }) => attribute.name)
  const createFilled = (): Promise<void> =>
    retryMadeUids(made, async () => {
      Object.assign(body, await fillUids(database, { plan, locale }, given, { which: 'all' }))
      await create(request, { ...dependencies, documents })
    })
  await (made.length === 0 ? createFilled() : takeTurn(database, plan.uid, createFilled))
  await noteWork(request, dependencies, documentId)
}

async function updateOne(
  request: ContentRequest,
  dependencies: EditorContentDependencies,
): Promise<void> {
  const { ctx, plan, query, locales } = request
  const documentId = parameterOf(ctx, 'documentId')
  const version = { documentId, locale: localeOf(plan, query, locales) }
  await update(request, dependencies, () => readEntryFacts(ctx, plan, version, dependencies))
  await noteWork(request, dependencies, documentId)
}

/** Responds with all faults that publishing would find. */
async function check(
  { ctx, plan, query, locales: rules }: ContentRequest,
  { documents, schema }: EditorContentDependencies,
): Promise<void> {
  assertNoPayload(ctx)
  const locales = parseActionLocales(query, plan, rules)
  const documentId = parameterOf(ctx, 'documentId')
  const faults = await checkPublication({ documents, schema }, plan, documentId, locales)
  ctx.body = { data: { faults } }
}

async function noteWork(
  { ctx, plan, query, locales }: ContentRequest,
  { recent }: EditorContentDependencies,
  documentId: string,
): Promise<void> {
  const { principal } = ctx.state
  if (principal.kind !== 'administrator') return
  const locale = localeOf(plan, query, locales)
  await recent.note(principal.id, { uid: plan.uid, documentId, locale })
}

export function localeOf(
  { localized }: ContentTypePlan,
  { locale = '' }: Data,
  { defaultCode }: LocaleRules,
): string {
  if (!localized) return NO_LOCALE
  return typeof locale === 'string' && locale !== '' ? locale : defaultCode
}

/** Finds the content-type of the path. @throws NotFoundError */
export function planOf(
  ctx: Context,
  { schema }: Pick<EditorContentDependencies, 'schema'>,
): ContentTypePlan {
  const uid = parameterOf(ctx, 'uid')
  const plan = uid.startsWith('api::') ? schema.contentTypes.get(uid) : undefined
  if (plan === undefined) throw new NotFoundError('There is no such content-type')
  return plan
}

/** Maps a verb to the verb of a single type, which has fewer verbs. */
export function ownVerb({ kind }: Pick<ContentTypePlan, 'kind'>, verb: ContentVerb): ContentVerb {
  return kind === 'singleType' ? (SINGLE_VERBS[verb] ?? verb) : verb
}

/** The required verb on the type. @throws NotFoundError if the type does not support it */
function verbOf(
  ctx: Context,
  dependencies: EditorContentDependencies,
  { verb, kind }: RouteKind,
): ContentVerb {
  const plan = planOf(ctx, dependencies)
  const own = ownVerb(plan, verb)
  const isThere = (kind !== 'action' && kind !== 'check') || plan.draftAndPublish
  if (!isThere || !contentVerbs(plan).includes(own)) throw new NotFoundError('Not Found')
  return own
}

const SINGLE_VERBS: Readonly<Partial<Record<ContentVerb, ContentVerb>>> = {
  findOne: 'find',
  create: 'update',
}
