import type { Document } from 'mongodb'
import type { Status, VersionKey } from '../../query/query.ts'
import type { Author } from '../connection/authorship.ts'
import type { Database } from '../connection/database.ts'
import { ensureIndexes } from '../system/system-collections.ts'

/** The type of rows in the audit for permanent deletions. */
export const TRASH_TYPE = 'admin::trash'

/** Deletions of this type have bytes in the storage, so `FileTrash` ends them. */
export const TRASHED_FILE = 'plugin::upload.file'

export interface DeletionRow {
  readonly _id: string
  readonly type: string
  readonly documentId: string
  readonly locales: readonly string[]
  readonly title: string
  readonly at: Date
  readonly by: Author
  readonly requestId: string | null
  /** The commit of the deletion. A restore must have a later commit. */
  readonly commit: string
}

export interface TrashedVersion {
  readonly _id: string
  readonly deletion: string
  readonly locale: string
  readonly status: Status
  /** With stored names, so that a later rename is right for it. */
  readonly version: Document
}

export const DELETIONS = 'quire_trash'
export const TRASHED_VERSIONS = 'quire_trash_versions'

export function deletionsIn(database: Database) {
  return database.table<DeletionRow>(DELETIONS)
}

/** A separate collection, because the versions of a document may exceed the size of one row. */
export function trashedVersionsIn(database: Database) {
  return database.table<TrashedVersion>(TRASHED_VERSIONS)
}

export function trashedVersionId(deletion: string, { locale, status }: VersionKey): string {
  return `${deletion}:${locale}:${status}`
}

export async function ensureTrash(database: Database): Promise<void> {
  await ensureIndexes(deletionsIn(database), [
    { key: { type: 1, documentId: 1, _id: -1 }, name: 'document' },
    { key: { at: 1 }, name: 'at' },
  ])
  await ensureIndexes(trashedVersionsIn(database), [{ key: { deletion: 1 }, name: 'deletion' }])
}
