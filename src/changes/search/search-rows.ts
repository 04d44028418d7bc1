import { randomUUID } from 'node:crypto'
import type { Head } from '../../mongo/commits/heads.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { pendingDraftsOf } from '../../mongo/search/fresh-drafts.ts'
import { ensureSearchRows } from '../../mongo/search/index-rows.ts'
import { type SearchFollowerRow, searchFollowersOf } from '../../mongo/search/index-progress.ts'
import { ensureIndexes, ensureRow } from '../../mongo/system/system-collections.ts'

const FOLLOWER = { _id: 'search' } as const

export async function ensureSearchFollower(
  database: Database,
  { log, seq }: Pick<Head, 'log' | 'seq'>,
): Promise<void> {
  await ensureIndexes(pendingDraftsOf(database), [{ key: { dueAt: 1 }, name: 'due' }])
  await ensureSearchRows(database)
  const free = { holder: null, heldUntil: new Date(0) }
  await ensureRow(searchFollowersOf(database), { ...FOLLOWER, log, cursor: seq, ...free })
}

/** A lease that ends later than this multiple of its length was written with a wrong clock. */
const BELIEVED_LEASES = 10

export interface SearchLeadership {
  readonly holder: string
  /** Null if another process leads. */
  claim(): Promise<SearchFollowerRow | null>
  /** False if another process leads now. */
  move(changes: Pick<SearchFollowerRow, 'log' | 'cursor'>): Promise<boolean>
  release(): Promise<void>
}

export function openSearchLeadership(
  database: Database,
  { leaseMs, now }: { readonly leaseMs: number; readonly now: () => Date },
): SearchLeadership {
  const holder = randomUUID()
  const rows = searchFollowersOf(database)
  return {
    holder,
    claim: () => {
      const at = now()
      const heldUntil = new Date(at.getTime() + leaseMs)
      const unbelievable = new Date(at.getTime() + BELIEVED_LEASES * leaseMs)
      const over = [{ heldUntil: { $lte: at } }, { heldUntil: { $gt: unbelievable } }]
      return rows.findOneAndUpdate(
        { ...FOLLOWER, $or: [{ holder }, ...over] },
        { $set: { holder, heldUntil } },
        { returnDocument: 'after' },
      )
    },
    move: async (changes) => {
      const { matchedCount } = await rows.updateOne({ ...FOLLOWER, holder }, { $set: changes })
      return matchedCount === 1
    },
    release: async () => {
      const free = { holder: null, heldUntil: new Date(0) }
      await rows.updateOne({ ...FOLLOWER, holder }, { $set: free })
    },
  }
}
