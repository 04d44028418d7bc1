import type { SeenType } from '../../query/query.ts'
import { optionsOf, inSession } from '../connection/commands.ts'
import type { Database, Session } from '../connection/database.ts'
import { seenRows } from '../lines/seen-rows.ts'
import {
  type DeletionRow,
  deletionsIn,
  type TrashedVersion,
  trashedVersionsIn,
} from './trash-rows.ts'

/** Deletions of what may be seen as a whole, the newest first: `limit` of them before `before`. */
export async function findDeletions(
  database: Database,
  seen: readonly SeenType[],
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<readonly DeletionRow[]> {
  if (seen.length === 0) return []
  const earlier = before === null ? {} : { _id: { $lt: before } }
  return inSession(undefined, () =>
    deletionsIn(database)
      .find(
        { ...earlier, $or: [...seenRows(seen)] },
        { ...optionsOf(database), batchSize: limit + 1 },
      )
      .sort({ _id: -1 })
      .limit(limit)
      .toArray(),
  )
}

/** Deletions of these documents, of what may be seen as a whole: the newest first, at most a thousand. */
export async function findTitlesOfDeleted(
  database: Database,
  seen: readonly SeenType[],
  documentIds: readonly string[],
): Promise<readonly Pick<DeletionRow, 'documentId' | 'title'>[]> {
  if (seen.length === 0 || documentIds.length === 0) return []
  const projection = { documentId: 1, title: 1 }
  return inSession(undefined, () =>
    deletionsIn(database)
      .find(
        { documentId: { $in: [...documentIds] }, $or: [...seenRows(seen)] },
        { ...optionsOf(database), projection, batchSize: MOST_DELETIONS + 1 },
      )
      .sort({ _id: -1 })
      .limit(MOST_DELETIONS)
      .toArray(),
  )
}

/** How often a document may have been deleted, and each be looked at. */
const MOST_DELETIONS = 1_000

/** The deletions of one document, or the one that is named; the newest first. */
export function findDeletionsOf(
  database: Database,
  { type, documentId, deletion }: DeletionsOf,
  session?: Session,
): Promise<readonly DeletionRow[]> {
  const named = deletion === null ? {} : { _id: deletion }
  return inSession(session, () =>
    deletionsIn(database)
      .find({ type, documentId, ...named }, optionsOf(database, session))
      .sort({ _id: -1 })
      .limit(MOST_DELETIONS)
      .toArray(),
  )
}

export interface DeletionsOf {
  readonly type: string
  readonly documentId: string
  /** Null: all of them. */
  readonly deletion: string | null
}

/** What a deletion has removed of some locales. */
export function findTrashedVersions(
  database: Database,
  deletion: string,
  locales: readonly string[],
  session: Session,
): Promise<readonly TrashedVersion[]> {
  return inSession(session, () =>
    trashedVersionsIn(database)
      .find({ deletion, locale: { $in: [...locales] } }, optionsOf(database, session))
      .toArray(),
  )
}

/** Which of these documents there is something of in the trash. */
export async function findInTrash(
  database: Database,
  type: string,
  documentIds: readonly string[],
  session: Session,
): Promise<ReadonlySet<string>> {
  const found = await inSession(session, () =>
    deletionsIn(database)
      .find(
        { type, documentId: { $in: [...documentIds] } },
        { ...optionsOf(database, session), projection: { documentId: 1 } },
      )
      .toArray(),
  )
  return new Set(found.map(({ documentId }) => documentId))
}
