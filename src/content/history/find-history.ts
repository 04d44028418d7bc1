import {
  findHistory,
  findRevision,
  type HistoryItem,
  type HistorySelection,
} from '../../mongo/commits/read-history.ts'
import { ValidationError } from '../../base/errors.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { pastContent, type PastContent } from './past-content.ts'

export interface PastVersion {
  readonly commit: string
  readonly revision: string | null
  readonly at: Date
  readonly by: HistoryItem['by']
  readonly requestId: string | null
  readonly op: HistoryItem['op']
  readonly locale?: string
  readonly status: HistoryItem['status']
}

export interface PastState extends PastContent {
  readonly version: PastVersion
}

export interface HistoryPage {
  readonly versions: readonly PastVersion[]
  readonly next: string | null
}

/** Newest first. A page may be short before the last one. */
export async function listHistory(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  selection: Omit<HistorySelection, 'type'>,
  page: { readonly before: string | null; readonly limit: number },
): Promise<HistoryPage> {
  const { items, next } = await findHistory(database, { type: plan.uid, ...selection }, page)
  return { versions: items.map(toVersion), next }
}

export interface RevisionSelection extends Omit<HistorySelection, 'type' | 'status'> {
  readonly revision: string
  readonly mayRead: (uid: Uid, locale: string) => boolean
}

export async function getPastState(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  { revision, mayRead, ...selection }: RevisionSelection,
): Promise<PastState | null> {
  const items = await findRevision(database, plan, selection, revision)
  const [item] = items
  if (item === undefined) return null
  const locales = [...new Set(items.map(({ locale }) => locale))].sort()
  if (locales.length > 1) {
    throw new ValidationError(
      `Several locales have this revision: locale must be one of ${locales.join(', ')}`,
      { path: 'locale', locales },
      { code: 'ambiguous_revision' },
    )
  }
  const content = pastContent(plan, item.content, (uid) => mayRead(uid, item.locale))
  return { version: toVersion(item), ...content }
}

function toVersion(item: HistoryItem): PastVersion {
  const { commit, revision, at, by, requestId, op, locale, status } = item
  const own = locale === NO_LOCALE ? {} : { locale }
  return { commit, revision, at, by, requestId, op, ...own, status }
}
