import type { Document } from 'mongodb'
import { COMMITS } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { historyId } from '../connection/history-rows.ts'
import { moveHead, readHead } from './heads.ts'

const BATCH = 1_000

interface NumberedRow {
  readonly _id: string
  readonly seq: number
  readonly at: Date
  readonly history?: 1
  readonly items: readonly { readonly documentId: string }[]
}

export interface Retention {
  readonly log: Date
  readonly history: Date
}

/** Moves the floor first, so that clients detect the gap. Commits with history have their own retention. */
export async function sweepLog(database: Database, { log, history }: Retention): Promise<number> {
  return (await sweepTail(database, log)) + (await sweepHistory(database, history))
}

async function sweepTail(database: Database, oldest: Date): Promise<number> {
  let swept = 0
  for (;;) {
    const head = await readHead(database)
    const old = await oldRows(database, { after: head.floor, until: head.seq }, oldest)
    const last = old.at(-1)
    if (last === undefined) return swept
    const moved = await moveHead(database, head, { floor: last.seq })
    if (moved === null) continue // a commit was numbered in between
    const passed = { seq: { $gt: head.floor, $lte: last.seq } }
    swept += await remove(database, { ...passed, history: { $exists: false } })
    if (old.length < BATCH) return swept
  }
}

async function sweepHistory(database: Database, oldest: Date): Promise<number> {
  let swept = 0
  for (;;) {
    const { floor } = await readHead(database)
    const old = await oldRows(database, { after: 0, until: floor }, oldest)
    const last = old.at(-1)
    if (last === undefined) return swept
    await remove(database, { _id: { $in: old.flatMap(keptIdsOf) } }) // first, because the commits contain the ids of these rows
    swept += await remove(database, { seq: { $gt: 0, $lte: last.seq } })
    if (old.length < BATCH) return swept
  }
}

async function oldRows(
  database: Database,
  { after, until }: { readonly after: number; readonly until: number },
  oldest: Date,
): Promise<readonly NumberedRow[]> {
  const found = await database
    .table<NumberedRow>(COMMITS)
    .find(
      { seq: { $gt: after, $lte: until } },
      {
        projection: { seq: 1, at: 1, history: 1, 'items.documentId': 1 },
        batchSize: BATCH + 1,
      },
    )
    .sort({ seq: 1 })
    .limit(BATCH)
    .toArray()
  const kept = found.findIndex(({ at }) => at >= oldest)
  return kept === -1 ? found : found.slice(0, kept)
}

function keptIdsOf({ _id, history, items }: NumberedRow): readonly string[] {
  if (history === undefined) return []
  return [...new Set(items.map(({ documentId }) => historyId(documentId, _id)))]
}

async function remove(database: Database, filter: Document): Promise<number> {
  const { deletedCount } = await database.table(COMMITS).deleteMany(filter)
  return deletedCount
}
