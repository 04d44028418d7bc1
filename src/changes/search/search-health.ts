import { headsOf } from '../../mongo/commits/heads.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { pendingDraftsOf } from '../../mongo/search/fresh-drafts.ts'
import { searchFollowersOf, searchTypesOf } from '../../mongo/search/index-progress.ts'

export interface SearchHealth {
  /** The number of commits that are not indexed. */
  readonly behind: number
  readonly pendingDrafts: number
  /** The content-types whose index is being built. */
  readonly building: readonly string[]
}

/** Null if no content-type was ever searched. */
export async function examineSearchIndex(database: Database): Promise<SearchHealth | null> {
  const row = await searchFollowersOf(database).findOne({ _id: 'search' })
  if (row === null) return null
  const head = await headsOf(database).findOne({ _id: 'main' })
  const types = await searchTypesOf(database)
    .find({ after: { $ne: null } })
    .sort({ _id: 1 })
    .toArray()
  return {
    behind: head === null || head.log !== row.log ? 0 : Math.max(0, head.seq - row.cursor),
    pendingDrafts: await pendingDraftsOf(database).countDocuments({}),
    building: types.map(({ _id }) => _id),
  }
}
