import { asCmsErrors } from '../connection/database-error.ts'
import { currentAuthorship } from '../connection/authorship.ts'
import {
  commitId,
  type CommitItem,
  COMMITS,
  type PendingRow,
  rowsOf,
} from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'

/** Deadline of a bulk write. After it, its rows are numbered even if the writer has not released them. */
const INTENT_MS = 120_000

export interface IntentRow extends Omit<PendingRow, 'pending'> {
  readonly intent: 1
  readonly until: Date
}

/**
 * Runs a bulk write outside of a transaction. The log names all its versions, even if the process
 * dies.
 * The log may therefore name unchanged versions, so readers must check the current state.
 */
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
  const rows = database.collection<{ readonly _id: string }>(COMMITS)
  const options = { maxTimeMS: database.queryTimeoutMs }
  await asCmsErrors(() => rows.insertMany([...intents], options))
  try {
    return await write(id)
  } finally {
    const released = await asCmsErrors(() =>
      rows.updateMany(
        { _id: { $in: intents.map(({ _id }) => _id) }, intent: 1 },
        { $set: { pending: 1 }, $unset: { intent: '', until: '' } },
        options,
      ),
    )
    const ids = intents.map(({ _id }) => _id)
    // The deadline has passed, and the rows may have been numbered before the write. Log the items again.
    if (released.modifiedCount < intents.length) {
      const late = rowsOf({ id: commitId(id), ...authorship }, items)
      await asCmsErrors(() => rows.insertMany([...late], options))
      ids.push(...late.map(({ _id }) => _id))
    }
    database.announceCommit(items, ids)
  }
}

export async function releaseOverdue(database: Database, now: Date): Promise<number> {
  const { modifiedCount } = await asCmsErrors(() =>
    database
      .collection<IntentRow>(COMMITS)
      .updateMany(
        { intent: 1, until: { $lt: now } },
        { $set: { pending: 1 }, $unset: { intent: '', until: '' } },
        { maxTimeMS: database.queryTimeoutMs },
      ),
  )
  return modifiedCount
}
