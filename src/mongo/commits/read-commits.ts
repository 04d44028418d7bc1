import { asCmsErrors } from '../connection/database-error.ts'
import { COMMITS, type PendingRow } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import type { Head } from './heads.ts'

/** A commit with its number. */
export interface NumberedCommit extends Omit<PendingRow, 'pending'> {
  readonly seq: number
}

/**
 * Commits after a number, in their order and none above the head that was read before: below it none comes later. Whoever
 * has followed the log up to `after` and finds that below `head.floor` has missed some, which are gone.
 */
export function readCommits(
  database: Database,
  { seq }: Pick<Head, 'seq'>,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly NumberedCommit[]> {
  return asCmsErrors(() =>
    database
      .collection<NumberedCommit>(COMMITS)
      .find(
        { seq: { $gt: after, $lte: seq } },
        { maxTimeMS: database.queryTimeoutMs, batchSize: limit + 1 },
      )
      .sort({ seq: 1 })
      .limit(limit)
      .toArray(),
  )
}
