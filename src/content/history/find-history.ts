import {
  findHistory,
  findRevision,
  type FoundHistory,
  type HistoryItem,
  type HistorySelection,
  type PastItem,
  visitContents,
} from '../../mongo/commits/read-history.ts'
import { SYSTEM } from '../../mongo/connection/authorship.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { isIdOf } from '../../mongo/versions/document-id.ts'
import { ValidationError } from '../../base/errors.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import type { IsShown } from '../write-rules.ts'
import { differingNames } from './compare-content.ts'
import { pastContent, type PastContent } from './past-content.ts'
import { cutPast, type IsPastVisible } from './visible-history.ts'

export interface PastVersion {
  /** Null for a current version that the history lacks. */
  readonly commit: string | null
  readonly revision: string | null
  readonly at: Date
  readonly by: HistoryItem['by']
  readonly requestId: string | null
  readonly op: HistoryItem['op']
  readonly locale?: string
  readonly status: HistoryItem['status']
  /** The first version of the document. */
  readonly isNew?: true
  readonly via?: HistoryItem['via']
  /** The attributes that differ from the previous version. Absent if that is not stored. */
  readonly changed?: readonly string[]
}

export interface PastState extends PastContent {
  readonly version: PastVersion
}

export interface HistoryPage {
  readonly versions: readonly PastVersion[]
  readonly next: string | null
}

type MayRead = (uid: Uid, locale: string) => boolean

interface PageOfHistory {
  readonly before: string | null
  readonly limit: number
}

/** Newest first. A page may be short before the last one. Null shows all versions. */
export async function listHistory(
  { database }: Pick<DocumentContext, 'database'>,
  plan: ContentTypePlan,
  selection: Omit<HistorySelection, 'type'>,
  page: PageOfHistory,
  isVisible: IsPastVisible | null = null,
): Promise<HistoryPage> {
  if (isVisible !== null) return listVisible(database, plan, selection, page, isVisible)
  const { items, next } = await findHistory(database, { type: plan.uid, ...selection }, page)
  return { versions: items.map((item) => toVersion(item)), next }
}

/** Reads on until the page is full, so that its cursor never names a hidden change. */
async function listVisible(
  database: DocumentContext['database'],
  plan: ContentTypePlan,
  selection: Omit<HistorySelection, 'type'>,
  { before, limit }: PageOfHistory,
  isVisible: IsPastVisible,
): Promise<HistoryPage> {
  const asked = { type: plan.uid, ...selection }
  const visible: HistoryItem[] = []
  const commitsOf = () => [...new Set(visible.map(({ commit }) => commit))]
  for (let from = before; ;) {
    const { items, next } = await findHistory(database, asked, { before: from, limit: limit + 1 })
    const seen = new Set<HistoryItem>()
    await visitContents(database, plan, items, (item, content) => {
      if (isVisible({ ...item, content })) seen.add(item)
    })
    visible.push(...items.filter((item) => seen.has(item)))
    if (next === null || commitsOf().length > limit) break
    from = next
  }
  const commits = commitsOf().slice(0, limit)
  const shown = visible.filter(({ commit }) => commits.includes(commit))
  return {
    versions: shown.map((item) => toVersion(item)),
    next: commitsOf().length > limit ? (commits.at(-1) ?? null) : null,
  }
}

/** Commits after a page that are read for the previous version of its last one. */
const FURTHER = 5

/** Like `listHistory`, with the changed attributes of each version that editors work on. */
export async function listChangedHistory(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  selection: Omit<HistorySelection, 'type'>,
  page: PageOfHistory & { readonly mayRead: MayRead },
): Promise<HistoryPage> {
  const range = { ...page, further: FURTHER }
  const found = await findHistory(database, { type: plan.uid, ...selection }, range)
  const changed = await changedAttributes(database, plan, found, page.mayRead)
  return {
    versions: found.items.map((item) => toVersion(item, changed.get(item))),
    next: found.next,
  }
}

async function changedAttributes(
  database: DocumentContext['database'],
  plan: ContentTypePlan,
  { items, further }: Pick<FoundHistory, 'items' | 'further'>,
  mayRead: MayRead,
): Promise<ReadonlyMap<HistoryItem, readonly string[]>> {
  const changed = new Map<HistoryItem, readonly string[]>()
  const later = new Map<string, { readonly item: HistoryItem; readonly past: PastContent }>()
  const edited = [...items, ...further].filter(
    ({ op, status }) => op === 'put' && status === (plan.draftAndPublish ? 'draft' : 'published'),
  )
  await visitContents(database, plan, edited, (item, content) => {
    const { locale } = item
    const past = pastContent(plan, content, (uid) => mayRead(uid, locale))
    const next = later.get(locale)
    if (next !== undefined) changed.set(next.item, differingNames(plan, past, next.past))
    later.set(locale, { item, past })
  })
  return changed
}

export interface RevisionSelection extends Omit<HistorySelection, 'type' | 'status'> {
  readonly revision: string
  readonly mayRead: MayRead
  /** Rules of the caller. Absent or null shows everything. */
  readonly isVisible?: IsPastVisible | null
  readonly isShown?: IsShown
}

export async function getPastState(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  { revision, mayRead, isVisible = null, isShown = () => true, ...selection }: RevisionSelection,
): Promise<PastState | null> {
  const listed = await findRevision(database, plan, selection, revision)
  const all: readonly Unlisted<PastItem>[] =
    listed.length > 0 ? listed : await findStored(database, plan, selection, revision)
  const items = isVisible === null ? all : all.filter(isVisible)
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
  const past = pastContent(plan, item.content, (uid) => mayRead(uid, item.locale))
  // Undeclared members of a current version can contain password hashes.
  const content = item.commit === null ? { ...past, unknown: {} } : past
  return { version: toVersion(item), ...cutPast(content, isShown) }
}

type Unlisted<Item extends HistoryItem> = Omit<Item, 'commit'> & { readonly commit: string | null }

/** Current versions that the history lacks: it has no imports, and may be shorter than the life of a version. */
async function findStored(
  database: DocumentContext['database'],
  plan: ContentTypePlan,
  { documentId, locales }: Pick<RevisionSelection, 'documentId' | 'locales'>,
  revision: string,
): Promise<readonly Unlisted<PastItem>[]> {
  if (!isIdOf(plan, documentId)) return []
  const stored = await getAllVersions(database, plan, documentId)
  return stored.flatMap((content) => {
    const { locale, status, updatedAt: at, _revision } = content
    if (_revision !== revision || !locales.includes(locale)) return []
    const item = { type: plan.uid, documentId, locale, status, op: 'put', revision } as const
    return [{ ...item, ...SYSTEM.authorship, commit: null, at, place: 0, content }]
  })
}

function toVersion(item: Unlisted<HistoryItem>, changed?: readonly string[]): PastVersion {
  const { commit, revision, at, by, requestId, op, locale, status, isNew, via } = item
  const own = locale === NO_LOCALE ? {} : { locale }
  return {
    commit,
    revision,
    at,
    by,
    requestId,
    op,
    ...own,
    status,
    ...(isNew && { isNew }),
    ...(via && { via }),
    ...(changed !== undefined && { changed }),
  }
}
