import { Router } from '@koa/router'
import { contentAction, type ContentVerb } from '../access/actions.ts'
import { assertMay, may } from '../access/permissions.ts'
import type { Config } from '../config.ts'
import type { DocumentContext } from '../documents/context.ts'
import { createDocument } from '../documents/create-document.ts'
import { deleteDocument } from '../documents/delete-document.ts'
import { findDocument, findDocuments, showVersions } from '../documents/find-documents.ts'
import type { Locales } from '../documents/locales.ts'
import { singleDocumentId } from '../documents/single-document-id.ts'
import { updateDocument } from '../documents/update-document.ts'
import type { Writer } from '../documents/write-target.ts'
import { NotFoundError, ValidationError } from '../errors.ts'
import { parseEntryQuery, parseQuery } from '../query/parse-query.ts'
import { parseDeletedLocales, parseReadKey, parseWriteKey } from '../query/parse-version.ts'
import type { EntryQuery, LocaleRules, QueryRules, Status } from '../query/query.ts'
import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../schema/plan.ts'
import { entryEnvelope, listEnvelope } from './envelope.ts'
import { dataOf, readQuery } from './read-request.ts'
import type { Context, Middleware, RequestState } from './state.ts'

export interface ContentRouteDependencies {
  readonly documents: DocumentContext
  readonly schema: Schema
  readonly locales: Locales
  readonly api: Config['api']
  /** Who asks; run for routes that exist only. */
  readonly authenticate: Middleware
  readonly readBody: Middleware
}

/** What a handler works on: one content-type, and the request's query string and locales. */
interface Request {
  readonly ctx: Context
  readonly plan: ContentTypePlan
  readonly query: Data
  readonly locales: LocaleRules
}

type Handler = (request: Request, dependencies: ContentRouteDependencies) => Promise<void>

/** The endpoints of one content-type, under `/api/<plural>` or `/api/<singular>`. */
export function contentRoutes(
  plan: ContentTypePlan,
  dependencies: ContentRouteDependencies,
): Router<RequestState> {
  const isSingle = plan.kind === 'singleType'
  const name = isSingle ? plan.singularName : plan.pluralName
  const router = new Router<RequestState>({ prefix: `/api/${name}` })
  const { authenticate, readBody } = dependencies
  const handle = (verb: ContentVerb, handler: Handler): Middleware => {
    const action = contentAction(plan, verb)
    return async (ctx) => {
      assertMay(ctx.state.principal, action)
      const locales = await dependencies.locales.current()
      await handler({ ctx, plan, query: readQuery(ctx.querystring), locales }, dependencies)
    }
  }
  if (isSingle) {
    router.get('/', authenticate, handle('find', findOne))
    router.put('/', readBody, authenticate, handle('update', update))
    router.delete('/', authenticate, handle('delete', remove))
    return router
  }
  router.get('/', authenticate, handle('find', find))
  router.post('/', readBody, authenticate, handle('create', create))
  router.get('/:documentId', authenticate, handle('findOne', findOne))
  router.put('/:documentId', readBody, authenticate, handle('update', update))
  router.delete('/:documentId', authenticate, handle('delete', remove))
  return router
}

async function find(
  { ctx, plan, query, locales }: Request,
  dependencies: ContentRouteDependencies,
): Promise<void> {
  const { documents } = dependencies
  const parsed = parseQuery(query, plan, rulesOf(ctx, dependencies, locales))
  assertMayRead(ctx, plan, parsed.version.status)
  ctx.body = listEnvelope(await findDocuments(documents.database, parsed), parsed.page)
}

async function findOne(
  { ctx, plan, query, locales }: Request,
  dependencies: ContentRouteDependencies,
): Promise<void> {
  const { documents } = dependencies
  const key = parseReadKey(query, plan, locales)
  if (key !== null) assertMayRead(ctx, plan, key.status)
  const read = parseEntryQuery(query, plan, rulesOf(ctx, dependencies, locales))
  const documentId = documentIdOf(ctx, plan)
  const entry =
    key === null ? null : await findDocument(documents.database, plan, documentId, key, read)
  if (entry === null) throw new NotFoundError('Not Found')
  ctx.body = entryEnvelope(entry)
}

async function create(
  { ctx, plan, query, locales }: Request,
  dependencies: ContentRouteDependencies,
): Promise<void> {
  const { documents } = dependencies
  const data = dataOf(ctx)
  const key = parseWriteKey(query, localeOf(data), plan, locales)
  const shown = parseEntryQuery(query, plan, rulesOf(ctx, dependencies, locales))
  const documentId = documents.newDocumentId()
  const writer = writerOf(ctx, shown)
  const version = await createDocument(documents, { plan, documentId, key, writer }, data)
  const [entry = {}] = await showVersions(documents.database, plan, [version], key.status, shown)
  ctx.status = 201
  ctx.body = entryEnvelope(entry)
}

async function update(
  { ctx, plan, query, locales }: Request,
  dependencies: ContentRouteDependencies,
): Promise<void> {
  const { documents } = dependencies
  const data = dataOf(ctx)
  const key = parseWriteKey(query, undefined, plan, locales)
  assertSameLocale(plan, localeOf(data), key.locale)
  const shown = parseEntryQuery(query, plan, rulesOf(ctx, dependencies, locales))
  const documentId = documentIdOf(ctx, plan)
  const writer = writerOf(ctx, shown)
  const version = await updateDocument(documents, { plan, documentId, key, writer }, data)
  const [entry = {}] = await showVersions(documents.database, plan, [version], key.status, shown)
  ctx.body = entryEnvelope(entry)
}

async function remove(
  { ctx, plan, query, locales }: Request,
  { documents }: ContentRouteDependencies,
): Promise<void> {
  const which = parseDeletedLocales(query, plan, locales)
  const documentId = documentIdOf(ctx, plan)
  await deleteDocument(documents, plan, documentId, which)
  ctx.status = 204
}

function writerOf(ctx: Context, { reader }: EntryQuery): Writer {
  const { principal } = ctx.state
  return {
    mayRead: (uid) => may(principal, contentAction({ uid }, 'find')),
    locale: reader.locale,
  }
}

/** What bounds the parsing of a request, by who sends it. */
export function rulesOf(
  ctx: Context,
  { api, schema }: Pick<ContentRouteDependencies, 'api' | 'schema'>,
  locales: LocaleRules,
): QueryRules {
  const { principal } = ctx.state
  return {
    ...api,
    locales,
    mayRead: (uid) => may(principal, contentAction({ uid }, 'find')),
    mayReadDrafts: (uid) => may(principal, contentAction({ uid }, 'readDrafts')),
    components: schema.components,
    fileHolder: schema.contentTypes.get('plugin::upload.file') ?? null,
  }
}

/** As the path gives it, which may be anything. */
function documentIdOf(ctx: Context, plan: ContentTypePlan): string {
  if (plan.kind === 'singleType') return singleDocumentId(plan.uid)
  return (ctx['params'] as { readonly documentId: string }).documentId // the route's own pattern
}

function assertMayRead(ctx: Context, plan: ContentTypePlan, status: Status): void {
  if (status === 'draft') assertMay(ctx.state.principal, contentAction(plan, 'readDrafts'))
}

function localeOf(data: unknown): unknown {
  return (data as { readonly locale?: unknown }).locale // `dataOf` answers objects only
}

function assertSameLocale(plan: ContentTypePlan, given: unknown, addressed: string | null): void {
  if (!plan.localized || given === undefined || given === null || given === addressed) return
  throw new ValidationError(
    `locale: the request addresses ${addressed ?? ''}, its data another one`,
  )
}
