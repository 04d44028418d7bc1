import { asCmsErrors } from '../connection/database-error.ts'
import { COMMITS } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { moveHead, readHead } from './heads.ts'

const BATCH = 1_000

interface NumberedRow {
  readonly _id: string
  readonly seq: number
  readonly at: Date
}

/**
 * Removes commits of before `oldest`, from the first on and none after one that stays. The head says how far before they
 * go, so that whoever asks for what is gone is told so and misses nothing. Answers how many there were.
 */
export async function sweepLog(database: Database, oldest: Date): Promise<number> {
  const rows = database.collection<NumberedRow>(COMMITS)
  const options = { maxTimeMS: database.queryTimeoutMs }
  let swept = 0
  for (;;) {
    const head = await readHead(database)
    const found = await asCmsErrors(() =>
      rows
        .find(
          { seq: { $gt: 0, $lte: head.seq } },
          { ...options, projection: { seq: 1, at: 1 }, batchSize: BATCH + 1 },
        )
        .sort({ seq: 1 })
        .limit(BATCH)
        .toArray(),
    )
    const kept = found.findIndex(({ at }) => at >= oldest)
    const old = kept === -1 ? found : found.slice(0, kept)
    const last = old.at(-1)
    if (last === undefined) return swept
    if (last.seq > head.floor) {
      const moved = await moveHead(database, head, { floor: last.seq })
      if (moved === null) continue // a commit was numbered meanwhile
    }
    await asCmsErrors(() => rows.deleteMany({ seq: { $gt: 0, $lte: last.seq } }, options))
    swept += old.length
    if (old.length < BATCH) return swept
  }
}
