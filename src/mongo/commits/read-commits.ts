import type { Document } from 'mongodb'
import { optionsAt } from '../connection/time-limits.ts'
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

/** Commits in order. A client has missed some if the first number is missing or `head.floor` is above its position. */
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
  return moment.database
    .table<NumberedCommit>(COMMITS)
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
    .take(take)
}

const SCANNED = 256
