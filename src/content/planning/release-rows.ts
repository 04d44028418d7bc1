import type { Author } from '../../mongo/connection/authorship.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { PlannedAction } from './planned-action.ts'

export interface ReleaseItem {
  readonly id: string
  readonly type: string
  readonly documentId: string
  readonly locale: string
  readonly action: PlannedAction
}

/** `open`: can be changed. `scheduled`: has a time, or failed at it. `published`: done. */
export type ReleaseState = 'open' | 'scheduled' | 'published'

export interface ReleaseRow {
  readonly _id: string
  readonly name: string
  readonly items: readonly ReleaseItem[]
  readonly state: ReleaseState
  /** Incremented by every change, so that concurrent changes conflict. */
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly createdBy: Author
  readonly publishedAt: Date | null
}

/** Limit for one transaction. */
export const MAX_RELEASE_ITEMS = 500

export const RELEASE_TYPE = 'admin::release'

export const RELEASES = 'quire_releases'

export function releasesIn(database: Database) {
  return database.table<ReleaseRow>(RELEASES)
}

export async function ensureReleases(database: Database): Promise<void> {
  await ensureIndexes(releasesIn(database), [{ key: { state: 1, _id: -1 }, name: 'state' }])
}
