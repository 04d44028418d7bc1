import { nanoid } from 'nanoid'
import { COMMITS } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { ensureHead, type Head, moveHead } from './heads.ts'
import { sequenceAll } from './sequencer.ts'

/** Replaces the id of the log after a restore, so that clients start over. Numbers continue. */
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

/** Returns the highest number above the head. A backup of a running server may have rows newer than its head. */
async function lastSeq(database: Database, { seq }: Head): Promise<number> {
  const last = await database
    .table<{ readonly seq: number }>(COMMITS)
    .findOne({ seq: { $gt: seq } }, { sort: { seq: -1 } })
  return last?.seq ?? 0
}
