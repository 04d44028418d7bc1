import { findAuthors } from '../../content/read/find-authors.ts'
import type { StateOfLocale } from '../../content/read/find-states.ts'
import { findEntries } from '../../content/read/find-entries.ts'
import { shownStates } from '../../content/read/visible-facts.ts'
import { hasReadRules, visibleVersions } from '../../content/rules/visible-documents.ts'
import { singleDocumentId } from '../../content/write/single-document-id.ts'
import { checkPublication } from '../../content/planning/check-publication.ts'
import { findReviewStages, linesWithDraft } from '../../content/review/find-reviews.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { parseBoolean } from '../../query/parse-comparison.ts'
import { parseQuery } from '../../query/parse-query.ts'
import { parseActionLocales } from '../../query/parse-version.ts'
import type { EntryState, LocaleRules, VersionSelection } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { readEntryFacts } from '../admin/request/entry-facts.ts'
import { parseStages } from '../admin/request/parse-stages.ts'
import { parseState } from '../admin/request/parse-state.ts'
import { listEnvelope } from '../answer/envelope.ts'
import { assertNoPayload, parameterOf } from '../body/read-request.ts'
import { assertMayRead } from '../reads/content-reads.ts'
import { rulesOf } from '../reads/query-rules.ts'
import type { Context } from '../router/state.ts'
import { type EditorContentDependencies, localeOf } from './editor-content.ts'
import { type ContentRequest, create, update } from './handlers.ts'
import { showAuthors, type ShownAuthors } from './shown-authors.ts'

export async function list(
  { ctx, plan, query, locales }: ContentRequest,
  dependencies: EditorContentDependencies,
): Promise<void> {
  const { database } = dependencies.documents
  const rules = { ...rulesOf(ctx, dependencies, locales), comparesAuthors: true } as const
  const showsAuthors = parseBoolean(query['authors'] ?? 'false', 'authors')
  const asked = parseQuery(query, plan, rules)
  const parsed = {
    ...asked,
    publication: [...asked.publication, ...parseState(query, plan, rules)],
    ...parseStages(query, plan),
  }
  assertMayRead(ctx, plan, parsed.version.status)
  const found = await findEntries(database, parsed)
  const listed = { lines: linesOf(found.entries, parsed.version), version: parsed.version, locales }
  const isReviewed = plan.review !== undefined && parsed.version.status === 'draft'
  const isSeen = isReviewed || showsAuthors
  const lines = isSeen ? await visibleLines(ctx, dependencies, plan, listed) : []
  const seen = { ...listed, lines }
  const [states, stages, authors] = await Promise.all([
    statesOf(ctx, dependencies, plan, listed),
    isReviewed ? stagesOf(dependencies, plan, seen) : null,
    showsAuthors ? authorsOf(ctx, dependencies, plan, seen) : null,
  ])
  const { data, meta } = listEnvelope(found, parsed.page)
  const shown = { states, ...(stages !== null && { stages }), ...(authors !== null && { authors }) }
  ctx.body = { data, meta: { ...meta, ...shown } }
}

type ListedLine = Omit<StateOfLocale, 'state'>

interface ListedEntries {
  readonly lines: readonly ListedLine[]
  readonly version: VersionSelection
  readonly locales: LocaleRules
}

function linesOf(entries: readonly Data[], version: VersionSelection): readonly ListedLine[] {
  return entries.flatMap(({ documentId, locale }) =>
    (typeof locale === 'string' ? [locale] : version.locales).map((code) => ({
      documentId: String(documentId),
      locale: code,
    })),
  )
}

function keyIn({ locales }: VersionSelection, { documentId, locale }: ListedLine): string {
  return locales.length === 1 ? documentId : `${documentId}:${locale}`
}

/** The listed versions that the caller sees. Lists without the locale name each locale of a document. */
async function visibleLines(
  { state: { principal } }: Context,
  { documents }: EditorContentDependencies,
  plan: ContentTypePlan,
  { lines, version, locales: { defaultCode } }: ListedEntries,
): Promise<readonly ListedLine[]> {
  const rules = writeRulesOf(principal)
  if (!hasReadRules(rules, plan)) return lines
  const documentIds = lines.map(({ documentId }) => documentId)
  const seen = await visibleVersions(documents, rules, { plan, documentIds, locale: defaultCode })
  return lines.filter((line) => seen.has({ ...line, status: version.status }))
}

/** Of drafts of a type with a review. */
async function stagesOf(
  { documents: { database } }: EditorContentDependencies,
  plan: ContentTypePlan,
  { lines: listed, version }: ListedEntries,
): Promise<Readonly<Record<string, string | undefined>>> {
  // Entries without the member `locale` stand for each locale of the list.
  const isExact = plan.review === undefined || version.locales.length === 1
  const lines = isExact ? listed : await linesWithDraft(database, plan, listed)
  const found = await findReviewStages(database, plan, lines)
  return Object.fromEntries(lines.map((line, at) => [keyIn(version, line), found[at]]))
}

async function authorsOf(
  { state: { principal } }: Context,
  dependencies: EditorContentDependencies,
  plan: ContentTypePlan,
  { lines, version }: ListedEntries,
): Promise<Readonly<Record<string, ShownAuthors | undefined>>> {
  const found = await findAuthors(dependencies.documents.database, plan, version.status, lines)
  const known = lines.flatMap((line, at) => {
    const authors = found[at] ?? null
    return authors === null ? [] : [{ key: keyIn(version, line), authors }]
  })
  const all = known.map(({ authors }) => authors)
  const shown = await showAuthors(principal, dependencies, all)
  return Object.fromEntries(known.map(({ key }, at) => [key, shown[at]]))
}

/** States of visible versions by documentId, or by `documentId:locale` for a list of several locales. */
async function statesOf(
  { state: { principal } }: Context,
  { documents }: EditorContentDependencies,
  plan: ContentTypePlan,
  { lines, version, locales: { defaultCode } }: ListedEntries,
): Promise<Readonly<Record<string, EntryState>>> {
  const rules = writeRulesOf(principal)
  const found = await shownStates(documents, rules, { plan, locale: defaultCode }, lines)
  return Object.fromEntries(found.map(({ state, ...line }) => [keyIn(version, line), state]))
}

/** A single type has one document with a fixed documentId. Creating it is an update. */
export async function createOne(
  request: ContentRequest,
  dependencies: EditorContentDependencies,
): Promise<void> {
  const { ctx, plan } = request
  if (plan.kind === 'singleType') {
    await update(request, dependencies)
    ctx.status = 201
    return noteWork(request, dependencies, singleDocumentId(plan.uid))
  }
  const documentId = dependencies.documents.newDocumentId(plan)
  const documents = { ...dependencies.documents, newDocumentId: () => documentId }
  await create({ ...request, filledUids: 'all' }, { ...dependencies, documents })
  await noteWork(request, dependencies, documentId)
}

export async function updateOne(
  request: ContentRequest,
  dependencies: EditorContentDependencies,
): Promise<void> {
  const { ctx, plan, query, locales } = request
  const documentId = parameterOf(ctx, 'documentId')
  const version = { documentId, locale: localeOf(plan, query, locales) }
  await update(request, dependencies, () => readEntryFacts(ctx, plan, version, dependencies))
  await noteWork(request, dependencies, documentId)
}

export async function check(
  { ctx, plan, query, locales: rules }: ContentRequest,
  { documents, schema }: EditorContentDependencies,
): Promise<void> {
  assertNoPayload(ctx)
  const faults = await checkPublication({ documents, schema }, writeRulesOf(ctx.state.principal), {
    plan,
    documentId: parameterOf(ctx, 'documentId'),
    locales: parseActionLocales(query, plan, rules),
    locale: rules.defaultCode,
  })
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
