import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import { writingFor } from '../../people/access/writing-for.ts'
import type { DocumentContext } from '../../content/context.ts'
import { createDocument } from '../../content/write/create-document.ts'
import { deleteDocument } from '../../content/write/delete-document.ts'
import {
  discardDraft,
  publishDocument,
  unpublishDocument,
} from '../../content/write/publish-document.ts'
import { showVersion, showVersions } from '../../content/read/find-documents.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { CreationWork, IdempotentCreations } from '../../content/write/idempotent-creation.ts'
import { updateDocument } from '../../content/write/update-document.ts'
import { ValidationError } from '../../base/errors.ts'
import type { PlannedAction } from '../../content/planning/planned-action.ts'
import type { PlanningContext } from '../../content/planning/planning.ts'
import { addSchedule } from '../../content/planning/schedules.ts'
import { parseEntryQuery } from '../../query/parse-query.ts'
import {
  assertActionStatus,
  parseActionLocales,
  parseDeletedLocales,
  parseWriteKey,
} from '../../query/parse-version.ts'
import type { LocaleRules, Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import {
  type GuardedRouter,
  guardedRouter,
  type Guarded,
  permitted,
} from '../router/guarded-router.ts'
import { readCondition, sendTagged } from '../answer/entity-tag.ts'
import { entriesEnvelope, entryEnvelope, envelopeAt, ERROR_CODE } from '../answer/envelope.ts'
import type { CachedReads, PreparedRead } from '../reads/cached-reads.ts'
import type { ListRequest, ListQuery } from '../reads/list-queries.ts'
import { documentIdOf, prepareEntry, prepareList, sendEntry } from '../reads/content-reads.ts'
import { readIdempotentRequest } from './idempotency-key.ts'
import { entryRulesOf, originOf, type RuleSources, writerOf } from '../reads/query-rules.ts'
import { assertNoPayload, dataOf, parameterOf, readQuery } from '../body/read-request.ts'
import { readTime, showSchedule } from './schedule-action.ts'
import type { Context, Middleware } from '../router/state.ts'
import { assertKnownBody, assertKnownParameters } from '../reads/strict-request.ts'
import { toJson } from '../answer/to-json.ts'

export interface ContentRouteDependencies extends RuleSources {
  readonly planning: Pick<PlanningContext, 'documents' | 'now'>
  readonly documents: DocumentContext
  readonly creations: IdempotentCreations
  readonly locales: Locales
  /** Sets the principal; run for existing routes only. */
  readonly authenticate: Middleware
  readonly readBody: Middleware
}

export interface ServedContentDependencies extends ContentRouteDependencies {
  readonly reads: CachedReads
  readonly listQuery: (asked: ListRequest) => ListQuery
}

/** What a handler works on: one content-type, and the request's query string and locales. */
export interface ContentRequest {
  readonly ctx: Context
  readonly plan: ContentTypePlan
  readonly query: Data
  readonly locales: LocaleRules
  /** Of the content-type, in one spelling. */
  readonly endpoint: string
}

export type ContentHandler = (
  request: ContentRequest,
  dependencies: ContentRouteDependencies,
) => Promise<void>

type PrepareRead = (request: Omit<ContentRequest, 'query' | 'endpoint'>) => PreparedRead

/** What is done to the versions of a document by its name: whom it asks for, and which version it answers. */
export interface VersionAction {
  readonly name: string
  readonly verb: ContentVerb
  readonly run: typeof publishDocument
  readonly answered: Status
  /** What it is where it is done at a time; null: it is done at once alone. */
  readonly planned: PlannedAction | null
}

export const VERSION_ACTIONS: readonly VersionAction[] = [
  {
    name: 'publish',
    verb: 'publish',
    run: publishDocument,
    answered: 'published',
    planned: 'publish',
  },
  {
    name: 'unpublish',
    verb: 'publish',
    run: unpublishDocument,
    answered: 'draft',
    planned: 'unpublish',
  },
  { name: 'discard', verb: 'update', run: discardDraft, answered: 'draft', planned: null },
]

/** The endpoints of one content-type, under `/api/<plural>` or `/api/<singular>`. */
export function contentRoutes(
  plan: ContentTypePlan,
  dependencies: ServedContentDependencies,
): GuardedRouter {
  const isSingle = plan.kind === 'singleType'
  const name = isSingle ? plan.singularName : plan.pluralName
  const router = guardedRouter(`/api/${name}`)
  const { authenticate, readBody } = dependencies
  const handle = (verb: ContentVerb, handler: ContentHandler): Guarded =>
    permitted(contentAction(plan, verb), async (ctx) => {
      assertKnownParameters(ctx, dependencies.api)
      assertKnownBody(ctx, dependencies.api)
      const locales = await dependencies.locales.current()
      const endpoint = `/api/${name}`
      await handler(
        { ctx, plan, query: readQuery(ctx.querystring), locales, endpoint },
        dependencies,
      )
    })
  const read = (verb: ContentVerb, prepare: PrepareRead): Guarded =>
    permitted(contentAction(plan, verb), async (ctx) => {
      assertKnownParameters(ctx, dependencies.api)
      const locales = await dependencies.locales.current()
      const documentId = verb === 'findOne' ? parameterOf(ctx, 'documentId') : null
      await dependencies.reads.answer(ctx, { uid: plan.uid, documentId, locales }, () =>
        prepare({ ctx, plan, locales }),
      )
    })
  const entry: PrepareRead = (asked) =>
    prepareEntry({ ...asked, query: readQuery(asked.ctx.querystring) }, dependencies)
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
  router.post('/', readBody, authenticate, handle('create', create))
  router.get('/:documentId', authenticate, read('findOne', entry))
  router.put('/:documentId', readBody, authenticate, handle('update', update))
  router.delete('/:documentId', authenticate, handle('delete', remove))
  return router
}

export async function findOne(
  request: ContentRequest,
  dependencies: ContentRouteDependencies,
): Promise<void> {
  sendTagged(request.ctx, await prepareEntry(request, dependencies).load())
}

export async function create(
  { ctx, plan, query, locales, endpoint }: ContentRequest,
  dependencies: ContentRouteDependencies,
): Promise<void> {
  const { documents, creations } = dependencies
  const data = dataOf(ctx)
  const key = parseWriteKey(query, localeOf(data), plan, locales)
  const shown = parseEntryQuery(query, plan, entryRulesOf(ctx, dependencies, locales))
  const documentId = documents.newDocumentId()
  const target = {
    plan,
    documentId,
    key,
    writer: writerOf(ctx, shown.reader),
    origin: originOf(ctx),
  }
  const work: CreationWork = {
    create: (alongside) => createDocument(documents, target, data, alongside),
    show: async (version) => {
      const { database } = documents
      const { entry, revision } = await showVersion(database, plan, version, key.status, shown)
      return { status: 201, body: await toJson(entryEnvelope(entry), ctx.state.answer), revision }
    },
    showError: (error) => ({
      status: error.status,
      body: JSON.stringify(envelopeAt(ctx.path, error)),
      revision: null,
      errorCode: error.errorCode,
    }),
  }
  const named = readIdempotentRequest(ctx, endpoint)
  const { answer, replayed } =
    named === null
      ? { answer: await work.show(await work.create(null)), replayed: false }
      : await creations.run({ ...named, ...work })
  if (replayed) ctx.set('Idempotency-Replayed', 'true')
  if (answer.errorCode !== undefined) ctx.set(ERROR_CODE, answer.errorCode)
  ctx.status = answer.status
  sendTagged(ctx, answer)
}

/** `readMeta` reads the `meta` of the response, after the write. */
export async function update(
  { ctx, plan, query, locales }: ContentRequest,
  dependencies: ContentRouteDependencies,
  readMeta: () => Promise<object> = () => Promise.resolve({}),
): Promise<void> {
  const { documents } = dependencies
  const data = dataOf(ctx)
  const key = parseWriteKey(query, undefined, plan, locales)
  assertSameLocale(plan, localeOf(data), key.locale)
  const shown = parseEntryQuery(query, plan, entryRulesOf(ctx, dependencies, locales))
  const documentId = documentIdOf(ctx, plan)
  const condition = readCondition(ctx)
  const writer = writerOf(ctx, shown.reader)
  const target = { plan, documentId, key, writer, origin: originOf(ctx), condition }
  const version = await updateDocument(documents, target, data)
  const found = await showVersion(documents.database, plan, version, key.status, shown)
  await sendEntry(ctx, found, await readMeta())
}

export async function remove(
  { ctx, plan, query, locales }: ContentRequest,
  { documents }: ContentRouteDependencies,
): Promise<void> {
  await deleteDocument(documents, {
    plan,
    documentId: documentIdOf(ctx, plan),
    locales: parseDeletedLocales(query, plan, locales),
    origin: originOf(ctx),
    condition: readCondition(ctx),
  })
  ctx.status = 204
}

export function act({ run, answered, planned: action }: VersionAction): ContentHandler {
  return async ({ ctx, plan, query, locales: rules }, dependencies) => {
    const { database } = dependencies.documents
    const at = action === null ? null : readTime(ctx, dependencies.planning.now())
    if (action === null) assertNoPayload(ctx)
    assertActionStatus(query, answered)
    const locales = parseActionLocales(query, plan, rules)
    const shown = parseEntryQuery(
      { ...query, status: answered },
      plan,
      entryRulesOf(ctx, dependencies, rules),
    )
    const documentId = documentIdOf(ctx, plan)
    const condition = readCondition(ctx)
    if (action !== null && at !== null) {
      if (condition !== undefined) throw conditionLater()
      const on = { action, plan, documentId, locales }
      ctx.status = 202
      const { principal, requestId } = ctx.state
      const add = () => addSchedule(dependencies.planning, on, at)
      ctx.body = { data: showSchedule(await writingFor(principal, requestId, add)) }
      return
    }
    const writer = writerOf(ctx, shown.reader)
    const target = { plan, documentId, locales, writer, origin: originOf(ctx), condition }
    const versions = await run(dependencies.documents, target)
    const [version] = versions
    if (locales.kind === 'one' && version !== undefined) {
      await sendEntry(ctx, await showVersion(database, plan, version, answered, shown))
    } else {
      ctx.body = entriesEnvelope(await showVersions(database, plan, versions, answered, shown))
    }
  }
}

/** What is stored at that time is another revision by then. */
function conditionLater(): ValidationError {
  return new ValidationError(
    'If-Match and If-None-Match cannot go with a time',
    {},
    { code: 'invalid_header' },
  )
}

function localeOf(data: unknown): unknown {
  return (data as { readonly locale?: unknown }).locale // `dataOf` answers objects only
}

function assertSameLocale(plan: ContentTypePlan, given: unknown, addressed: string): void {
  if (!plan.localized || given === undefined || given === null || given === addressed) return
  const shown = typeof given === 'string' ? given : JSON.stringify(given)
  throw new ValidationError(
    `locale in data (${shown}) differs from locale in the query (${addressed})`,
    {},
    { code: 'locale_mismatch' },
  )
}
