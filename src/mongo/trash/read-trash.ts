import type { Database, Session } from '../connection/database.ts'
import { visibleRows } from '../read/visible-rows.ts'
import {
  type DeletionRow,
  deletionsIn,
  type TrashedVersion,
  trashedVersionsIn,
} from './trash-rows.ts'
import type { VisibleType } from '../../query/visible-type.ts'

export async function findDeletions(
  database: Database,
  seen: readonly VisibleType[],
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<readonly DeletionRow[]> {
  if (seen.length === 0) return []
  const earlier = before === null ? {} : { _id: { $lt: before } }
  return deletionsIn(database)
    .find({ ...earlier, $or: [...visibleRows(seen)] }, { batchSize: limit + 1 })
    .sort({ _id: -1 })
    .limit(limit)
    .toArray()
}

export async function findTitlesOfDeleted(
  database: Database,
  seen: readonly VisibleType[],
  documentIds: readonly string[],
): Promise<readonly Pick<DeletionRow, 'documentId' | 'title'>[]> {
  if (seen.length === 0 || documentIds.length === 0) return []
  const projection = { documentId: 1, title: 1 }
  return deletionsIn(database)
    .find(
      { documentId: { $in: [...documentIds] }, $or: [...visibleRows(seen)] },
      { projection, batchSize: MAX_DELETIONS + 1 },
    )
    .sort({ _id: -1 })
    .limit(MAX_DELETIONS)
    .toArray()
}

const MAX_DELETIONS = 1_000

export function findDeletionsOf(
  database: Database,
  { type, documentId, deletion }: DeletionsOf,
  session?: Session,
): Promise<readonly DeletionRow[]> {
  const named = deletion === null ? {} : { _id: deletion }
  return deletionsIn(database)
    .find({ type, documentId, ...named }, { session })
    .sort({ _id: -1 })
    .limit(MAX_DELETIONS)
    .toArray()
}

export interface DeletionsOf {
  readonly type: string
  readonly documentId: string
  readonly deletion: string | null
}

export function findTrashedVersions(
  database: Database,
  deletion: string,
  locales: readonly string[],
  session: Session,
): Promise<readonly TrashedVersion[]> {
  return trashedVersionsIn(database)
    .find({ deletion, locale: { $in: [...locales] } }, { session })
    .toArray()
}

export function findVersionsOfDeletions(
  database: Database,
  deletions: readonly string[],
  session?: Session,
): Promise<readonly TrashedVersion[]> {
  return trashedVersionsIn(database)
    .find({ deletion: { $in: [...deletions] } }, { session })
    .toArray()
}

export async function findInTrash(
  database: Database,
  type: string,
  documentIds: readonly string[],
  session: Session,
): Promise<ReadonlySet<string>> {
  const found = await deletionsIn(database)
    .find(
      { type, documentId: { $in: [...documentIds] } },
      { session, projection: { documentId: 1 } },
    )
    .toArray()
  return new Set(found.map(({ documentId }) => documentId))
}
