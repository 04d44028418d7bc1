import { nanoid } from 'nanoid'
import { asCmsErrors } from '../connection/database-error.ts'
import { COMMITS } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { ensureHead, type Head, moveHead } from './heads.ts'
import { sequenceAll } from './sequencer.ts'

/**
 * Makes it another log: after a backup was restored, where numbers that were given once may be given again to other
 * commits. Whoever follows the log begins anew. Numbers go on above all that there are.
 */
export async function restartLog(database: Database): Promise<Head> {
  await ensureHead(database)
  for (;;) {
    const head = await sequenceAll(database)
    const seq = Math.max(head.seq, await lastSeq(database, head))
    const types = head.types.map(({ type }) => ({ type, seq }))
    const moved = await moveHead(database, head, { log: nanoid(), seq, types })
    if (moved !== null) return moved
  }
}

/** Of rows above the head: a backup that was made while the server ran may hold an older head than rows. */
async function lastSeq(database: Database, { seq }: Head): Promise<number> {
  const last = await asCmsErrors(() =>
    database
      .collection<{ readonly seq: number }>(COMMITS)
      .find({ seq: { $gt: seq } }, { maxTimeMS: database.queryTimeoutMs })
      .sort({ seq: -1 })
      .limit(1)
      .next(),
  )
  return last?.seq ?? 0
}
