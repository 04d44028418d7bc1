import { contentAction } from '../../people/access/actions.ts'
import { readPreferenceOf } from '../../people/access/principal.ts'
import { isPersonalRead } from '../../people/access/reader-key.ts'
import { assertMayUnderRule } from '../../people/access/ruled-reads.ts'
import type { DocumentContext } from '../../content/context.ts'
import { findDocument, type ShownVersion } from '../../content/read/find-documents.ts'
import type { FoundTexts } from '../../content/read/find-texts.ts'
import { findEntries, findEntryTexts } from '../../content/read/find-entries.ts'
import { singleDocumentId } from '../../content/write/single-document-id.ts'
import { NotFoundError } from '../../base/errors.ts'
import { parseEntryQuery } from '../../query/parse-query.ts'
import { parseReadKey } from '../../query/parse-version.ts'
import type { AnswerSize } from '../../query/answer-size.ts'
import type { LocaleRules, Page, Reader, Status } from '../../query/query.ts'
import { typesOfQuery } from '../../query/types-of-query.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { sendTagged } from '../answer/entity-tag.ts'
import { entryEnvelope, listEnvelope, listText } from '../answer/envelope.ts'
import type { LoadedRead, PreparedRead } from './cached-reads.ts'
import { parameterOf } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { boundTexts, toJson } from '../answer/to-json.ts'
import type { ListQuery } from './list-queries.ts'
import { entryRulesOf, type RuleSources } from './query-rules.ts'

interface ReadRequest {
  readonly ctx: Context
  readonly plan: ContentTypePlan
  readonly query: Data
  readonly locales: LocaleRules
}

interface ReadDependencies extends RuleSources {
  readonly documents: DocumentContext
}

export function prepareList(
  ctx: Context,
  { query: parsed, types }: ListQuery,
  documents: DocumentContext,
): PreparedRead {
  const { version, reader, page, plan } = parsed
  assertMayRead(ctx, plan, version.status)
  const database = readFrom(ctx, documents)
  return {
    types,
    // The index follows later, so no cache may hold the response until the next commit.
    isPublished:
      dependsOnPublished(version.status, reader) &&
      parsed.publication.length === 0 &&
      parsed.search === undefined &&
      !readsAdopted(documents, types),
    isPersonal: isPersonalRead(ctx.state.principal, types),
    isCurrent: database === documents.database,
    load: async () => {
      const texts = await findEntryTexts(database, parsed)
      if (texts !== null) return loadedTexts(texts, page, ctx.state.answer)
      const found = await findEntries(database, parsed)
      const body = await toJson(listEnvelope(found, page), ctx.state.answer)
      return {
        body,
        revision: null,
        shown: () => found.entries,
        isExact: isExact(found) && parsed.search === undefined,
      }
    },
  }
}

/** True if drafts cannot affect the response. Shared caches are not purged when a draft changes. */
export function dependsOnPublished(
  status: Status | undefined,
  { status: asked, publicationFilter }: Pick<Reader, 'status' | 'publicationFilter'>,
): boolean {
  return status === 'published' && asked === 'published' && publicationFilter === undefined
}

/** The commit log has no changes of adopted collections, so no cache may hold them. */
export function readsAdopted(
  { contentType }: Pick<DocumentContext, 'contentType'>,
  types: ReadonlySet<Uid>,
): boolean {
  return [...types].some((uid) => contentType(uid).adopted !== undefined)
}

function loadedTexts(found: FoundTexts, page: Page, answer: AnswerSize | undefined): LoadedRead {
  boundTexts(found.texts, answer)
  const shown = (): unknown => found.texts.map((text): unknown => JSON.parse(text))
  return { body: listText(found, page), revision: null, shown, isExact: isExact(found) }
}

function isExact({ notes }: Pick<FoundTexts, 'notes'>): boolean {
  return notes.length === 0
}

/** `load` throws NotFoundError for a missing entry. @throws ValidationError, PaginationError, ForbiddenError */
export function prepareEntry(
  { ctx, plan, query, locales }: ReadRequest,
  dependencies: ReadDependencies,
): PreparedRead {
  const { documents } = dependencies
  const key = parseReadKey(query, plan, locales)
  if (key !== null) assertMayRead(ctx, plan, key.status)
  const read = parseEntryQuery(query, plan, entryRulesOf(ctx, dependencies, locales))
  const documentId = documentIdOf(ctx, plan)
  const database = readFrom(ctx, documents)
  const types = typesOfQuery(plan, read)
  return {
    types,
    isPublished: dependsOnPublished(key?.status, read.reader) && !readsAdopted(documents, types),
    isPersonal: isPersonalRead(ctx.state.principal, types),
    isCurrent: database === documents.database,
    load: async () => {
      const found = key === null ? null : await findDocument(database, documentId, key, read)
      if (found === null) throw new NotFoundError('Not Found')
      const { entry, revision } = found
      const body = await toJson(entryEnvelope(entry), ctx.state.answer)
      return { body, revision, shown: () => entry, isExact: true }
    },
  }
}

/** For read requests only: the response to a write must read from the primary. */
export function readFrom(
  { state: { principal, after } }: Context,
  { database }: DocumentContext,
): DocumentContext['database'] {
  return database.reading(readPreferenceOf(principal), after)
}

export async function sendEntry(
  ctx: Context,
  { entry, revision }: Pick<ShownVersion, 'entry'> & { readonly revision: string | null },
  meta: object = {},
): Promise<void> {
  sendTagged(ctx, { body: await toJson(entryEnvelope(entry, meta), ctx.state.answer), revision })
}

export function documentIdOf(ctx: Context, plan: ContentTypePlan): string {
  return plan.kind === 'singleType' ? singleDocumentId(plan.uid) : parameterOf(ctx, 'documentId')
}

export function assertMayRead(ctx: Context, plan: ContentTypePlan, status: Status): void {
  if (status === 'draft') assertMayUnderRule(ctx.state.principal, contentAction(plan, 'readDrafts'))
}
