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

/** How long the writer of an intent is waited for. It has to release it by then, or its row counts as it is. */
const INTENT_MS = 120_000

/** A row of the log that is not to be numbered yet: what it names is being written, by no transaction. */
export interface IntentRow extends Omit<PendingRow, 'pending'> {
  readonly intent: 1
  readonly until: Date
}

/**
 * Runs a write of many versions that is no transaction, and sees to it that the log names all of them, whatever becomes of
 * this process: an intent that names them is stored beforehand, and released when `write` has ended, be it by failing. A
 * process that dies in between leaves the intent, which is numbered when its time is over (`releaseOverdue`). So the log
 * may name what did not change; who reads it looks at what is there.
 *
 * For bulk writes that go through no transaction of `Database.transact`. What does needs no call: its transaction logs
 * itself. `write` is given the commit, for the versions to name (`COMMIT` of `versions/revision.ts`).
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
    // Taken for dead meanwhile: what was numbered then may have been before the write.
    if (released.modifiedCount < intents.length) {
      const late = rowsOf({ id: commitId(id), ...authorship }, items)
      await asCmsErrors(() => rows.insertMany([...late], options))
      ids.push(...late.map(({ _id }) => _id))
    }
    database.announceCommit(items, ids)
  }
}

/** Lets intents be numbered whose writers have died. Answers how many there were. */
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
