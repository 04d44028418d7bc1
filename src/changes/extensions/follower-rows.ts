import { randomUUID } from 'node:crypto'
import type { Head } from '../../mongo/commits/heads.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureRow } from '../../mongo/system/system-collections.ts'
import type { MissedCommits } from '../follow-log.ts'

/** The position of an extension in the log. One process at a time moves it. */
export interface FollowerRow {
  readonly _id: string
  readonly log: string
  /** All commits up to this number are processed, or are in a delivery row. */
  readonly cursor: number
  readonly holder: string | null
  readonly heldUntil: Date
  /** The last commits that the log deleted before the extension saw them. */
  readonly missed: (MissedCommits & { readonly at: Date }) | null
}

export const followersOf = (database: Database) =>
  database.table<FollowerRow>('quire_extension_followers')

export async function ensureFollower(
  database: Database,
  extension: string,
  { log, seq }: Pick<Head, 'log' | 'seq'>,
): Promise<void> {
  const free = { holder: null, heldUntil: new Date(0), missed: null }
  await ensureRow(followersOf(database), { _id: extension, log, cursor: seq, ...free })
}

export interface Leadership {
  readonly holder: string
  claim(): Promise<FollowerRow | null>
  release(): Promise<void>
}

export interface LeadershipOptions {
  readonly database: Database
  readonly extension: string
  readonly leaseMs: number
  readonly now: () => Date
}

/** A lease that ends later than this multiple of its length was written with a wrong clock. */
const BELIEVED_LEASES = 10

export function openLeadership(options: LeadershipOptions): Leadership {
  const { database, extension: _id, leaseMs, now } = options
  const holder = randomUUID()
  const rows = followersOf(database)
  return {
    holder,
    claim: () => {
      const at = now()
      const heldUntil = new Date(at.getTime() + leaseMs)
      const unbelievable = new Date(at.getTime() + BELIEVED_LEASES * leaseMs)
      return rows.findOneAndUpdate(
        {
          _id,
          $or: [{ holder }, { heldUntil: { $lte: at } }, { heldUntil: { $gt: unbelievable } }],
        },
        { $set: { holder, heldUntil } },
        { returnDocument: 'after' },
      )
    },
    release: async () => {
      const free = { holder: null, heldUntil: new Date(0) }
      await rows.updateOne({ _id, holder }, { $set: free })
    },
  }
}
