import {
  findDeletions,
  findTitlesOfDeleted,
  findVersionsOfDeletions,
} from '../../mongo/trash/read-trash.ts'
import { type DeletionRow, TRASHED_FILE } from '../../mongo/trash/trash-rows.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { DocumentContext } from '../context.ts'
import type { VisibleType } from '../../query/visible-type.ts'

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
  /** Of deleted files. Their bytes are not served. */
  readonly file?: DeletedFileFacts
}

export interface DeletedFileFacts {
  readonly mime: string
  readonly ext: string
  /** In kilobytes. */
  readonly size: number
  readonly width: number | null
  readonly height: number | null
  readonly private: boolean
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
  const files = await findFacts(database, rows)
  return {
    deleted: rows.map((row) => ({ ...toDeleted(row, database.trashDays), ...files.get(row._id) })),
    next: found.length > limit ? (rows.at(-1)?._id ?? null) : null,
  }
}

async function findFacts(
  database: DocumentContext['database'],
  rows: readonly DeletionRow[],
): Promise<ReadonlyMap<string, Pick<Deleted, 'file'>>> {
  const ids = rows.filter(({ type }) => type === TRASHED_FILE).map(({ _id }) => _id)
  if (ids.length === 0) return new Map()
  const versions = await findVersionsOfDeletions(database, ids)
  return new Map(
    versions.map(({ deletion, version }) => {
      const { mime, ext, size, width, height } = version as unknown as DeletedFileFacts
      const isPrivate = version['private'] === true
      return [deletion, { file: { mime, ext, size, width, height, private: isPrivate } }]
    }),
  )
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
