import type { Document } from 'mongodb'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Author } from '../connection/authorship.ts'
import { type CommitItem, COMMITS, type PendingRow } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'

/** What one commit did to one version. */
export interface HistoryItem extends CommitItem {
  /** The commit; later ones sort behind it. */
  readonly commit: string
  readonly at: Date
  readonly by: Author
  readonly requestId: string | null
}

/** Which items of which document. */
export interface HistorySelection {
  readonly type: string
  readonly documentId: string
  /** Those of these locales. */
  readonly locales: readonly string[]
  readonly status?: 'draft' | 'published'
}

/**
 * What was done to a document of a type that keeps history, newest first: `limit` commits before `before`. A commit
 * that did nothing in the selected locales and status gives no item, so there may be fewer items than `limit` and
 * still more to come: `next` is null at the end alone.
 */
export async function findHistory(
  database: Database,
  selection: HistorySelection,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<{ readonly items: readonly HistoryItem[]; readonly next: string | null }> {
  const earlier = before === null ? {} : { _id: { $lt: before } }
  const rows = await findRows(database, { ...ofDocument(selection), ...earlier }, limit + 1)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { items: page.flatMap((row) => itemsOf(row, selection)), next: last?._id ?? null }
}

/**
 * What a document was as this revision, with its content, newest first; none where no history of that is kept. One write
 * may give versions of several locales the same revision, and a publication gives what it publishes that of its draft.
 */
export async function findRevision(
  database: Database,
  selection: HistorySelection,
  revision: string,
): Promise<readonly HistoryItem[]> {
  const { type, documentId, locales } = selection
  const which = { type, documentId, revision, locale: { $in: locales } }
  const filter = { ...ofDocument(selection), items: { $elemMatch: which } }
  const rows = await findRows(database, filter, MOST_OF_ONE_REVISION)
  return rows
    .flatMap((row) => itemsOf(row, selection))
    .filter((item) => item.revision === revision && item.content !== undefined)
}

/** Commits with one revision: that which gave it, and publications of locales. */
const MOST_OF_ONE_REVISION = 500

/** Served by an index of rows that hold content. */
function ofDocument({ documentId }: HistorySelection): Document {
  return { 'items.documentId': documentId, 'items.content': { $exists: true } }
}

function findRows(
  database: Database,
  filter: Document,
  limit: number,
): Promise<readonly PendingRow[]> {
  return asCmsErrors(() =>
    database
      .collection<PendingRow>(COMMITS)
      .find(filter, { maxTimeMS: database.queryTimeoutMs, batchSize: limit + 1 })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray(),
  )
}

function itemsOf(
  { _id: commit, at, by, requestId, items }: PendingRow,
  { type, documentId, locales, status }: HistorySelection,
): readonly HistoryItem[] {
  return items
    .filter(
      (item) =>
        item.type === type &&
        item.documentId === documentId &&
        locales.includes(item.locale) &&
        (status === undefined || item.status === status),
    )
    .map((item) => ({ ...item, commit, at, by, requestId }))
    .toReversed()
}
