import type { Database } from '../mongo/connection/database.ts'
import type { FileType } from '../media/file-records.ts'
import type { IdAllocator } from '../mongo/system/id-allocator.ts'
import type { ExistingDocuments, NamedDocuments } from '../mongo/write/find-existing.ts'
import type { Uid } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'

/** What a payload refers to, looked up: for many payloads at once, or within a transaction. */
export interface TargetLookup {
  existing(plan: ContentTypePlan, named: NamedDocuments): Promise<ExistingDocuments>
  fileTypes(
    plan: ContentTypePlan,
    documentIds: readonly string[],
  ): Promise<ReadonlyMap<string, FileType>>
}

/** What every operation is given. The clock and the ids are arguments, so that tests can set them. */
export interface DocumentContext {
  readonly database: Database
  readonly ids: IdAllocator
  /** The plan of a content-type that is known to exist. */
  readonly contentType: (uid: Uid) => ContentTypePlan
  readonly now: () => Date
  readonly newDocumentId: () => string
  /** What is stored of a password. @throws ServiceUnavailableError when too many are waiting. */
  readonly hashPassword: (password: string) => Promise<string>
  /** Left out: each payload is looked up by itself, beside any transaction. */
  readonly targets?: TargetLookup
}
