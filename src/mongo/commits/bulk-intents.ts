import { currentAuthorship } from '../connection/authorship.ts'
import { commitId, COMMITS, type PendingRow, rowsOf } from '../connection/commit-record.ts'
import type { CommitItem, Database } from '../connection/database.ts'

/** Deadline of a bulk write. After it, its rows are numbered even if the writer has not released them. */
const INTENT_MS = 120_000

export interface IntentRow extends Omit<PendingRow, 'pending'> {
  readonly intent: 1
  readonly until: Date
}

/** Writes without a transaction. The log may name unchanged versions, so readers must check the current state. */
export async function recordBulk<T>(
  database: Database,
  items: readonly CommitItem[],
  write: (commit: string) => Promise<T>,
): Promise<T> {
  const authorship = currentAuthorship()
  const id = commitId(null)
  const until = new Date(Date.now() + INTENT_MS)
  const intents = rowsOf({ id, ...authorship }, items).map(
    ({ pending: _pending, ...row }): IntentRow => {
      return { ...row, intent: 1, until }
    },
  )
  const rows = database.table<{ readonly _id: string }>(COMMITS)
  await rows.insertMany([...intents])
  try {
    return await write(id)
  } finally {
    const released = await rows.updateMany(
      { _id: { $in: intents.map(({ _id }) => _id) }, intent: 1 },
      { $set: { pending: 1 }, $unset: { intent: '', until: '' } },
    )
    const ids = intents.map(({ _id }) => _id)
    // The deadline has passed, and the rows may have been numbered before the write. Log the items again.
    if (released.modifiedCount < intents.length) {
      const late = rowsOf({ id: commitId(id), ...authorship }, items)
      await rows.insertMany([...late])
      ids.push(...late.map(({ _id }) => _id))
    }
    database.announceCommit(items, ids)
  }
}

export async function releaseOverdue(database: Database, now: Date): Promise<number> {
  const { modifiedCount } = await database
    .table<IntentRow>(COMMITS)
    .updateMany(
      { intent: 1, until: { $lt: now } },
      { $set: { pending: 1 }, $unset: { intent: '', until: '' } },
    )
  return modifiedCount
}
