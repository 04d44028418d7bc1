import type { Database } from '../../mongo/connection/database.ts'
import type { SyncedVersion } from '../../mongo/read/read-synced.ts'
import type { Settling } from '../../mongo/search/settle-index.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

export interface Indexing extends Settling {
  readonly database: Database
  readonly writer: SearchWriter
  readonly defaultLocale: string
  /** All commits up to this one are visible to the reads. */
  readonly seq: number
}

/**
 * Stores the searched versions. The index of the server and the providers of extensions implement it. Calls may be
 * repeated.
 */
export interface SearchWriter {
  /** If it changes, all versions of the type are written again. */
  formOf(plan: ContentTypePlan, defaultLocale: string): string
  put(indexing: Indexing, plan: ContentTypePlan, versions: readonly SyncedVersion[]): Promise<void>
  /** Takes the `_id`s of deleted versions. */
  remove(indexing: Indexing, plan: ContentTypePlan, ids: readonly string[]): Promise<void>
  startBuild(indexing: Indexing, plan: ContentTypePlan): Promise<void>
  /** `since` is the commit before the build. Older rows belong to deleted versions. */
  finishBuild(indexing: Indexing, plan: ContentTypePlan, since: number): Promise<void>
  /** The commits have other numbers from now on. All types are built again. */
  startOver(indexing: Pick<Indexing, 'database'>, plan: ContentTypePlan): Promise<void>
}
