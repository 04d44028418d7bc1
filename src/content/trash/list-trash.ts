import { findDeletions, findTitlesOfDeleted } from '../../mongo/trash/read-trash.ts'
import type { DeletionRow } from '../../mongo/trash/trash-rows.ts'
import type { VisibleType } from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { DocumentContext } from '../context.ts'

const DAY_MS = 86_400_000

export interface Deleted {
  readonly id: string
  readonly uid: string
  readonly documentId: string
  readonly locales?: readonly string[]
  readonly title: string
  readonly deletedAt: Date
  readonly expiresAt: Date
  readonly by: DeletionRow['by']
}

export interface TrashPage {
  readonly deleted: readonly Deleted[]
  readonly next: string | null
}

export type KeepVisible = (rows: readonly DeletionRow[]) => Promise<readonly DeletionRow[]>

/** Reads on until the rows that `keepVisible` keeps fill a page. */
export async function listTrash(
  { database }: DocumentContext,
  seen: readonly VisibleType[],
  { before, limit }: { readonly before: string | null; readonly limit: number },
  keepVisible: KeepVisible = (rows) => Promise.resolve(rows),
): Promise<TrashPage> {
  const found: DeletionRow[] = []
  for (let from = before; ;) {
    const some = await findDeletions(database, seen, { before: from, limit: limit + 1 })
    found.push(...(await keepVisible(some)))
    from = some.at(-1)?._id ?? null
    if (some.length <= limit || found.length > limit) break
  }
  const rows = found.slice(0, limit)
  return {
    deleted: rows.map((row) => toDeleted(row, database.trashDays)),
    next: found.length > limit ? (rows.at(-1)?._id ?? null) : null,
  }
}

export async function deletedTitles(
  { database }: DocumentContext,
  seen: readonly VisibleType[],
  lines: readonly { readonly documentId: string }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(lines.map(({ documentId }) => documentId))]
  const found = await findTitlesOfDeleted(database, seen, ids)
  return new Map(found.toReversed().map(({ documentId, title }) => [documentId, title]))
}

function toDeleted(row: DeletionRow, trashDays: number): Deleted {
  const { _id: id, type: uid, documentId, title, at, by } = row
  const locales = row.locales.filter((locale) => locale !== NO_LOCALE)
  return {
    id,
    uid,
    documentId,
    ...(locales.length > 0 && { locales }),
    title,
    deletedAt: at,
    expiresAt: new Date(at.getTime() + trashDays * DAY_MS),
    by,
  }
}
