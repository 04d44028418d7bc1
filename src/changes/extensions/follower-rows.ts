import type { Head } from '../../mongo/commits/heads.ts'
import type { Database } from '../../mongo/connection/database.ts'
import {
  FREE_LEASE,
  type LeasedRow,
  openRowLease,
  type RowLease,
  type RowLeaseOptions,
} from '../../mongo/system/row-lease.ts'
import { ensureRow } from '../../mongo/system/system-collections.ts'
import type { MissedCommits } from '../follow-log.ts'

/** The position of an extension in the log. One process at a time moves it. */
export interface FollowerRow extends LeasedRow {
  readonly log: string
  /** All commits up to this number are processed, or are in a delivery row. */
  readonly cursor: number
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
  await ensureRow(followersOf(database), {
    _id: extension,
    log,
    cursor: seq,
    ...FREE_LEASE,
    missed: null,
  })
}

export type Leadership = RowLease<FollowerRow>

export interface LeadershipOptions extends RowLeaseOptions {
  readonly database: Database
  readonly extension: string
}

export function openLeadership({ database, extension, ...options }: LeadershipOptions): Leadership {
  return openRowLease(followersOf(database), extension, options)
}
