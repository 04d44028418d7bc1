import { randomUUID } from 'node:crypto'
import type { Head } from '../../mongo/commits/heads.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureSearchRows } from '../../mongo/search/index-rows.ts'
import { ensureIndexes, ensureRow } from '../../mongo/system/system-collections.ts'

/** The position of the index in the commit log. One process at a time moves it. */
export interface SearchFollowerRow {
  readonly _id: 'search'
  readonly log: string
  readonly cursor: number
  readonly holder: string | null
  readonly heldUntil: Date
}

const FOLLOWER = { _id: 'search' } as const

export const searchFollowersOf = (database: Database) =>
  database.table<SearchFollowerRow>('quire_text_followers')

/** The progress of a type. `form` and `after` of a finished build are those of the index and null. */
export interface SearchTypeRow {
  /** The uid of the content-type. */
  readonly _id: string
  readonly form: string
  /** The last version that a running build has indexed. Empty at its start, null after its end. */
  readonly after: string | null
  /** The commit before the build. Rows that are older at its end belong to deleted versions. */
  readonly since: number
}

export const searchTypesOf = (database: Database) =>
  database.table<SearchTypeRow>('quire_text_types')

/** A draft that waits for a pause in its writes. */
export interface PendingDraft {
  /** The uid of the content-type and the `_id` of the version. */
  readonly _id: string
  readonly type: string
  readonly version: string
  readonly dueAt: Date
}

export const pendingDraftsOf = (database: Database) =>
  database.table<PendingDraft>('quire_text_drafts')

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
