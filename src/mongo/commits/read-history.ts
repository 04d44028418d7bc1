import { groupBy } from '../../base/group-by.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Author } from '../connection/authorship.ts'
import { COMMITS, type PendingRow } from '../connection/commit-record.ts'
import type { CommitItem, Database } from '../connection/database.ts'
import { asPastVersion } from '../versions/past-version.ts'
import type { StoredVersion } from '../versions/stored-version.ts'
import {
  commitOfHistoryId,
  contentIn,
  historyId,
  type HistoryRow,
} from '../connection/history-rows.ts'

export interface HistoryItem extends CommitItem {
  readonly commit: string
  readonly at: Date
  readonly by: Author
  readonly requestId: string | null
  readonly via?: 'restore'
  /** Index of the item in the commit. */
  readonly place: number
}

export interface PastItem extends HistoryItem {
  readonly content: StoredVersion
}

export interface HistorySelection {
  readonly type: string
  readonly documentId: string
  readonly locales: readonly string[]
  readonly status?: 'draft' | 'published'
}

export interface HistoryRange {
  readonly before: string | null
  readonly limit: number
  /** The number of commits after the page whose items are returned, too. At least 1. */
  readonly further?: number
}

export interface FoundHistory {
  readonly items: readonly HistoryItem[]
  readonly further: readonly HistoryItem[]
  readonly next: string | null
}

/** Up to `limit` commits. A page may be empty; only `next: null` marks the end. */
export async function findHistory(
  database: Database,
  selection: HistorySelection,
  { before, limit, further = 0 }: HistoryRange,
): Promise<FoundHistory> {
  const most = limit + Math.max(further, 1)
  const kept = await findKept(database, selection.documentId, { before, limit: most })
  const commits = kept.map(({ _id }) => commitOfHistoryId(_id))
  const page = commits.slice(0, limit)
  const rows = await findRows(database, further > 0 ? commits : page)
  const itemsIn = (some: readonly string[]): readonly HistoryItem[] =>
    some.flatMap((commit) => itemsOf(rows.get(commit), selection))
  return {
    items: itemsIn(page),
    further: itemsIn(commits.slice(limit)),
    next: kept.length > limit ? (page.at(-1) ?? null) : null,
  }
}

/** Calls `visit` with the content of each item, newest first. Holds a few rows in memory. */
export async function visitContents(
  database: Database,
  plan: ContentTypePlan,
  items: readonly HistoryItem[],
  visit: (item: HistoryItem, content: StoredVersion) => void,
): Promise<void> {
  const byRow = groupBy(items, ({ documentId, commit }) => historyId(documentId, commit))
  await database
    .table<HistoryRow>(COMMITS)
    .find({ _id: { $in: [...byRow.keys()] } }, { batchSize: CONTENTS_AT_ONCE })
    .sort({ _id: -1 })
    .take((row) => {
      for (const item of byRow.get(row._id) ?? []) {
        const content = contentIn(row, item.place)
        if (content !== undefined) visit(item, asPastVersion(plan, content))
      }
      return true
    })
}

const CONTENTS_AT_ONCE = 4

/** Returns the changes that led to this revision, newest first. Locales may share a revision. */
export async function findRevision(
  database: Database,
  plan: ContentTypePlan,
  selection: Omit<HistorySelection, 'type'>,
  revision: string,
): Promise<readonly PastItem[]> {
  const { documentId, locales } = selection
  const options = { before: null, limit: MAX_OF_ONE_REVISION, of: { revision, locales } }
  const kept = await findKept(database, documentId, options)
  const commits = kept.map(({ _id }) => commitOfHistoryId(_id))
  const rows = await findRows(database, commits)
  return kept.flatMap((one, index) =>
    itemsOf(rows.get(commits[index] ?? ''), { type: plan.uid, ...selection }).flatMap((item) => {
      const content = item.revision === revision ? contentIn(one, item.place) : undefined
      return content === undefined ? [] : [{ ...item, content: asPastVersion(plan, content) }]
    }),
  )
}

const MAX_OF_ONE_REVISION = 500

interface KeptOptions {
  readonly before: string | null
  readonly limit: number
  /** Selects commits that gave this revision to a version in one of these locales, including its content. */
  readonly of?: { readonly revision: string; readonly locales: readonly string[] }
}

function findKept(
  database: Database,
  documentId: string,
  { before, limit, of }: KeptOptions,
): Promise<readonly HistoryRow[]> {
  const filter = {
    _id: { $gt: historyId(documentId, ''), $lt: historyId(documentId, before ?? BEHIND_ALL) },
    documentId, // ids of another document may have the same prefix
    ...(of && { versions: { $elemMatch: { revision: of.revision, locale: { $in: of.locales } } } }),
  }
  return database
    .table<HistoryRow>(COMMITS)
    .find(filter, {
      batchSize: limit + 1,
      ...(of === undefined && { projection: { _id: 1 } }),
    })
    .sort({ _id: -1 })
    .limit(limit)
    .toArray()
}

/** Sorts after all commit ids, which are hexadecimal. */
const BEHIND_ALL = 'g'

async function findRows(
  database: Database,
  commits: readonly string[],
): Promise<ReadonlyMap<string, PendingRow>> {
  if (commits.length === 0) return new Map()
  const rows = await database
    .table<PendingRow>(COMMITS)
    .find({ _id: { $in: [...commits] } }, { batchSize: commits.length + 1 })
    .toArray()
  return new Map(rows.map((row) => [row._id, row]))
}

function itemsOf(
  row: PendingRow | undefined,
  { type, documentId, locales, status }: HistorySelection,
): readonly HistoryItem[] {
  if (row === undefined) return []
  const { _id: commit, at, by, requestId, via, items } = row
  return items
    .map(({ was: _was, is: _is, ...item }, place) => ({
      ...item,
      place,
      commit,
      at,
      by,
      requestId,
      ...(via && { via }),
    }))
    .filter(
      (item) =>
        item.type === type &&
        item.documentId === documentId &&
        locales.includes(item.locale) &&
        (status === undefined || item.status === status),
    )
    .toReversed()
}
