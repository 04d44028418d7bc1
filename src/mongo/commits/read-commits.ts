import type { Document } from 'mongodb'
import { optionsAt } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import { COMMITS, type PendingRow } from '../connection/commit-record.ts'
import type { Database, Moment } from '../connection/database.ts'
import type { Head } from './heads.ts'

/** A commit with its number. */
export interface NumberedCommit extends Omit<PendingRow, 'pending'> {
  readonly seq: number
}

interface CommitRange {
  readonly after: number
  readonly limit: number
}

/**
 * Commits after a number, in their order and none above the head that was read before: below it none comes later. Numbers
 * have no gaps: whoever finds the first of them missing, or `head.floor` above what they have followed, has missed some.
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

/** The same one by one, with what is needed of them, until `take` says that it is enough. */
export function scanCommits(
  database: Database,
  head: Pick<Head, 'seq'>,
  range: CommitRange,
  projection: Document,
  take: (commit: NumberedCommit) => boolean,
): Promise<void> {
  return scanCommitsAt({ database, session: undefined }, head, range, projection, take)
}

/** The same as of one moment. */
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

/** At a time: a commit may have a thousand items. */
const SCANNED = 256
