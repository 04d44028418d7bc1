import type { Head } from '../../mongo/commits/heads.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { pendingDraftsOf } from '../../mongo/search/fresh-drafts.ts'
import { ensureSearchRows } from '../../mongo/search/index-rows.ts'
import { type SearchFollowerRow, searchFollowersOf } from '../../mongo/search/index-progress.ts'
import {
  FREE_LEASE,
  openRowLease,
  type RowLease,
  type RowLeaseOptions,
} from '../../mongo/system/row-lease.ts'
import { ensureIndexes, ensureRow } from '../../mongo/system/system-collections.ts'

const FOLLOWER = { _id: 'search' } as const

export async function ensureSearchFollower(
  database: Database,
  { log, seq }: Pick<Head, 'log' | 'seq'>,
): Promise<void> {
  await ensureIndexes(pendingDraftsOf(database), [{ key: { dueAt: 1 }, name: 'due' }])
  await ensureSearchRows(database)
  await ensureRow(searchFollowersOf(database), { ...FOLLOWER, log, cursor: seq, ...FREE_LEASE })
}

export interface SearchLeadership extends RowLease<SearchFollowerRow> {
  /** False if another process leads now. */
  move(changes: Pick<SearchFollowerRow, 'log' | 'cursor'>): Promise<boolean>
}

export function openSearchLeadership(
  database: Database,
  options: RowLeaseOptions,
): SearchLeadership {
  const rows = searchFollowersOf(database)
  const lease = openRowLease(rows, FOLLOWER._id, options)
  const { holder } = lease
  return {
    ...lease,
    move: async (changes) => {
      const { matchedCount } = await rows.updateOne({ ...FOLLOWER, holder }, { $set: changes })
      return matchedCount === 1
    },
  }
}
