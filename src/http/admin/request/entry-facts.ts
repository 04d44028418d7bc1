import { contentAction } from '../../../people/access/actions.ts'
import { mayIn } from '../../../people/access/permissions.ts'
import { mayInUnderRule } from '../../../people/access/ruled-reads.ts'
import type { DocumentContext } from '../../../content/context.ts'
import { type HistoryPage, listHistory } from '../../../content/history/find-history.ts'
import { pastVisibility } from '../../../content/history/visible-history.ts'
import {
  listChanges,
  listLocales,
  type UnpublishedChanges,
} from '../../../content/read/list-locales.ts'
import type { Locales } from '../../../content/locales/locales.ts'
import { writeRulesOf } from '../../../content/rules/principal-rules.ts'
import { hasReadRules, visibleVersions } from '../../../content/rules/visible-documents.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'
import type { Context } from '../../router/state.ts'

interface Dependencies {
  readonly documents: DocumentContext
  readonly locales: Locales
}

interface LocaleState {
  readonly locale: string | null
  readonly state: string
  /** Absent without unpublished changes, and for callers that cannot read all drafts of the locale. */
  readonly changes?: Omit<UnpublishedChanges, 'locale'>
}

export const HISTORY_PAGE_SIZE = 25

/** Responses to writes include the facts, so that the form sends no request after each autosave. */
export async function readEntryFacts(
  ctx: Context,
  plan: ContentTypePlan,
  { documentId, locale }: { readonly documentId: string; readonly locale: string },
  dependencies: Dependencies,
): Promise<object> {
  const [locales, history] = await Promise.all([
    readLocaleStates(ctx, plan, documentId, dependencies),
    readHistory(ctx, plan, { documentId, locale }, dependencies),
  ])
  return { locales, history }
}

/** Under rules, the states of the versions that the caller sees. */
export async function readLocaleStates(
  ctx: Context,
  plan: ContentTypePlan,
  documentId: string,
  { documents: { database }, locales }: Dependencies,
): Promise<readonly LocaleState[]> {
  const { principal } = ctx.state
  const known = await locales.current()
  const rules = writeRulesOf(principal)
  const versions = hasReadRules(rules, plan)
    ? await visibleVersions({ database }, rules, {
        plan,
        documentIds: [documentId],
        locale: known.defaultCode,
      })
    : undefined
  const found = await listLocales(database, plan, documentId, versions)
  const find = contentAction(plan, 'find')
  const seen = found.filter(
    ({ locale, state }) =>
      (state !== 'draft' || mayReadDrafts(ctx, plan, locale)) &&
      (!plan.localized || (known.has(locale) && mayInUnderRule(principal, find, [locale]))),
  )
  const changes = hasReadRules(rules, plan)
    ? []
    : await readChanges(ctx, plan, documentId, { database })
  return seen.map((one) => {
    const { locale: _own, ...changed } = changes.find(({ locale }) => locale === one.locale) ?? {}
    return {
      ...one,
      locale: plan.localized ? one.locale : null,
      ...('attributes' in changed && { changes: changed }),
    }
  })
}

async function readChanges(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  documentId: string,
  { database }: Pick<DocumentContext, 'database'>,
): Promise<readonly UnpublishedChanges[]> {
  const changes = await listChanges(database, plan, documentId)
  const readDrafts = contentAction(plan, 'readDrafts')
  return changes.filter(({ locale }) =>
    mayIn(principal, readDrafts, plan.localized ? [locale] : []),
  )
}

async function readHistory(
  ctx: Context,
  plan: ContentTypePlan,
  { documentId, locale }: { readonly documentId: string; readonly locale: string },
  { documents, locales }: Dependencies,
): Promise<object> {
  const { principal } = ctx.state
  const codes = plan.localized ? [locale] : []
  const isReadable =
    mayInUnderRule(principal, contentAction(plan, 'find'), codes) &&
    mayReadDrafts(ctx, plan, locale)
  if (!isReadable) return historyEnvelope({ versions: [], next: null }, HISTORY_PAGE_SIZE)
  const page = { before: null, limit: HISTORY_PAGE_SIZE }
  const { defaultCode } = await locales.current()
  const reader = { rules: writeRulesOf(principal), plan, documentId, locale: defaultCode }
  const isVisible = await pastVisibility(documents, reader)
  const selection = { documentId, locales: [locale] }
  const found = await listHistory(documents, plan, selection, page, isVisible)
  return historyEnvelope(found, HISTORY_PAGE_SIZE)
}

export function historyEnvelope({ versions, next }: HistoryPage, pageSize: number): object {
  return { data: versions, meta: { pagination: { pageSize, nextCursor: next } } }
}

/** Also true under a rule, which the caller must apply. */
export function mayReadDrafts(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  locale: string,
): boolean {
  const codes = plan.localized ? [locale] : []
  return (
    !plan.draftAndPublish || mayInUnderRule(principal, contentAction(plan, 'readDrafts'), codes)
  )
}
