import { COMMITS, type PendingRow, timeOfCommit } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { type Head, headsOf } from './heads.ts'

export interface LogHealth {
  readonly head: Pick<Head, 'log' | 'seq' | 'floor'> | null
  readonly pending: number
  readonly lagMs: number
  /** Numbered rows above the head and its current batch. A backup taken during writes leaves such rows. */
  readonly strays: number
}

export const MAX_COUNTED = 10_000

export async function examineLog(database: Database, now: Date): Promise<LogHealth> {
  const rows = database.table<PendingRow & { readonly seq?: number }>(COMMITS)
  const head = await headsOf(database).findOne({ _id: 'main' })
  const [oldest] = await rows
    .find({ pending: 1 }, { projection: { _id: 1 } })
    .sort({ pending: 1, _id: 1 })
    .limit(1)
    .toArray()
  const count = (filter: object): Promise<number> =>
    rows.countDocuments(filter, { limit: MAX_COUNTED })
  const pending = oldest === undefined ? 0 : await count({ pending: 1 })
  const last = head === null ? 0 : Math.max(head.seq, lastAssigned(head))
  return {
    head: head === null ? null : { log: head.log, seq: head.seq, floor: head.floor },
    pending,
    lagMs:
      oldest === undefined ? 0 : Math.max(0, now.getTime() - timeOfCommit(oldest._id).getTime()),
    strays: await strayCount(database, last, count),
  }
}

/** Counts again after a hit, because a sequencer may have moved the head in between. */
async function strayCount(
  database: Database,
  last: number,
  count: (filter: object) => Promise<number>,
): Promise<number> {
  if ((await count({ seq: { $gt: last } })) === 0) return 0
  const head = await headsOf(database).findOne({ _id: 'main' })
  return count({ seq: { $gt: head === null ? 0 : Math.max(head.seq, lastAssigned(head)) } })
}

function lastAssigned({ assigning }: Head): number {
  return assigning === null ? 0 : assigning.from + assigning.ids.length - 1
}
