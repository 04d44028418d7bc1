import type { Document } from 'mongodb'
import { optionsAt } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import { COMMITS, type PendingRow } from '../connection/commit-record.ts'
import type { Database, Moment } from '../connection/database.ts'
import type { Head } from './heads.ts'

export interface NumberedCommit extends Omit<PendingRow, 'pending'> {
  readonly seq: number
}

interface CommitRange {
  readonly after: number
  readonly limit: number
}

/**
 * Returns commits after a number, in order, without gaps, up to the head. A client has missed
 * commits if the first number is missing, or if `head.floor` is above its position.
 */
export async function readCommits(
  database: Database,
  head: Pick<Head, 'seq'>,
  range: CommitRange,
): Promise<readonly NumberedCommit[]> {
  const commits: NumberedCommit[] = []
  await scanCommits(database, head, range, {}, (commit) => commits.push(commit) > 0)
  return commits
}

export function scanCommits(
  database: Database,
  head: Pick<Head, 'seq'>,
  range: CommitRange,
  projection: Document,
  take: (commit: NumberedCommit) => boolean,
): Promise<void> {
  return scanCommitsAt({ database, session: undefined }, head, range, projection, take)
}

export function scanCommitsAt(
  moment: Moment,
  { seq }: Pick<Head, 'seq'>,
  { after, limit }: CommitRange,
  projection: Document,
  take: (commit: NumberedCommit) => boolean,
): Promise<void> {
  return asCmsErrors(async () => {
    const found = moment.database
      .collection<NumberedCommit>(COMMITS)
      .find(
        { seq: { $gt: after, $lte: seq } },
        {
          ...optionsAt(moment),
          batchSize: Math.min(limit + 1, SCANNED),
          projection,
        },
      )
      .sort({ seq: 1 })
      .limit(limit)
    try {
      for await (const commit of found) if (!take(commit)) return
    } finally {
      await found.close()
    }
  })
}

const SCANNED = 256
