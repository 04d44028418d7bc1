import type { Author } from '../../mongo/connection/authorship.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { PlannedAction } from './planned-action.ts'

/** One locale of one document, and what is to be done with it. */
export interface ReleaseItem {
  readonly id: string
  readonly type: string
  readonly documentId: string
  /** `NO_LOCALE` where the type has none. */
  readonly locale: string
  readonly action: PlannedAction
}

/** `open`: it can be changed; `scheduled`: it has a time, or had one and failed; `published`: it is over. */
export type ReleaseState = 'open' | 'scheduled' | 'published'

export interface ReleaseRow {
  readonly _id: string
  readonly name: string
  readonly items: readonly ReleaseItem[]
  readonly state: ReleaseState
  /** Another with every change, so that of two changes at once one is made anew. */
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly createdBy: Author
  readonly publishedAt: Date | null
}

/** How much is published together: one transaction must hold it. */
export const MAX_RELEASE_ITEMS = 500

/** What the log calls them. */
export const RELEASE_TYPE = 'admin::release'

export function releasesIn(database: Database) {
  return database.collection<ReleaseRow>('quire_releases')
}

export async function ensureReleases(database: Database): Promise<void> {
  await ensureIndexes(releasesIn(database), [{ key: { state: 1, _id: -1 }, name: 'state' }])
}
