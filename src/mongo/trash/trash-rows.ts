import type { Document } from 'mongodb'
import type { Status } from '../../query/query.ts'
import type { Author } from '../connection/authorship.ts'
import type { Database } from '../connection/database.ts'
import { ensureIndexes } from '../system/system-collections.ts'

/** A document, or some of its locales, as one deletion has left them: what a list of the trash shows. */
export interface DeletionRow {
  /** The commit and the document: in the order of time. */
  readonly _id: string
  readonly type: string
  readonly documentId: string
  /** Those that can be restored still. */
  readonly locales: readonly string[]
  readonly title: string
  readonly at: Date
  readonly by: Author
  readonly requestId: string | null
  /** The commit that has deleted it: what restores it comes later. */
  readonly commit: string
}

/** One version that a deletion has removed, as it was stored. */
export interface TrashedVersion {
  /** The deletion, the locale and the status. */
  readonly _id: string
  readonly deletion: string
  readonly locale: string
  readonly status: Status
  readonly version: Document
}

export function deletionsIn(database: Database) {
  return database.collection<DeletionRow>('quire_trash')
}

/** In a collection of its own: what one document holds need not fit into one row. */
export function trashedVersionsIn(database: Database) {
  return database.collection<TrashedVersion>('quire_trash_versions')
}

/** A transaction needs its collections to be there. */
export async function ensureTrash(database: Database): Promise<void> {
  await ensureIndexes(deletionsIn(database), [
    { key: { type: 1, documentId: 1, _id: -1 }, name: 'document' },
    { key: { at: 1 }, name: 'at' },
  ])
  await ensureIndexes(trashedVersionsIn(database), [{ key: { deletion: 1 }, name: 'deletion' }])
}
