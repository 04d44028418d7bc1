import { contentAction } from '../../../people/access/actions.ts'
import { mayIn } from '../../../people/access/permissions.ts'
import type { DocumentContext } from '../../../content/context.ts'
import { type HistoryPage, listHistory } from '../../../content/history/find-history.ts'
import { listLocales } from '../../../content/read/list-locales.ts'
import type { Locales } from '../../../content/locales/locales.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'
import type { Context } from '../../router/state.ts'

interface Dependencies {
  readonly documents: DocumentContext
  readonly locales: Locales
}

interface LocaleState {
  readonly locale: string | null
  readonly state: string
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

export async function readLocaleStates(
  ctx: Context,
  plan: ContentTypePlan,
  documentId: string,
  { documents: { database }, locales }: Dependencies,
): Promise<readonly LocaleState[]> {
  const { principal } = ctx.state
  const known = await locales.current()
  const found = await listLocales(database, plan, documentId)
  const seen = found.filter(
    ({ locale, state }) =>
      (state !== 'draft' || mayReadDrafts(ctx, plan, locale)) &&
      (!plan.localized ||
        (known.has(locale) && mayIn(principal, contentAction(plan, 'find'), [locale]))),
  )
  return seen.map((one) => ({ ...one, locale: plan.localized ? one.locale : null }))
}

async function readHistory(
  ctx: Context,
  plan: ContentTypePlan,
  { documentId, locale }: { readonly documentId: string; readonly locale: string },
  { documents }: Dependencies,
): Promise<object> {
  const codes = plan.localized ? [locale] : []
  const isReadable =
    mayIn(ctx.state.principal, contentAction(plan, 'find'), codes) &&
    mayReadDrafts(ctx, plan, locale)
  const page = { before: null, limit: HISTORY_PAGE_SIZE }
  return historyEnvelope(
    isReadable
      ? await listHistory(documents, plan, { documentId, locales: [locale] }, page)
      : { versions: [], next: null },
    HISTORY_PAGE_SIZE,
  )
}

export function historyEnvelope({ versions, next }: HistoryPage, pageSize: number): object {
  return { data: versions, meta: { pagination: { pageSize, nextCursor: next } } }
}

export function mayReadDrafts(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  locale: string,
): boolean {
  const codes = plan.localized ? [locale] : []
  return !plan.draftAndPublish || mayIn(principal, contentAction(plan, 'readDrafts'), codes)
}
