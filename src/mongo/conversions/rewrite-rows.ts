import type { AnyBulkWriteOperation, BSON, Document } from 'mongodb'
import type { Database, Session } from '../connection/database.ts'
import { BULK_TIMEOUT_MS } from '../read/get-versions.ts'

const BATCH = 200

/** No request waits for a rename. */
const UNHURRIED = { maxTimeMS: BULK_TIMEOUT_MS } as const

type Id = string | number
export type StoredRow = Document & { readonly _id: Id }

export interface Rewrite {
  readonly collection: string
  readonly filter: Document
  /** Whether all rows that match are rewritten. */
  readonly isExact: boolean
  /** Called with each batch before its rows are changed. */
  readonly prepare?: (rows: readonly StoredRow[]) => Promise<void>
  /** How rows are decoded, such as without loss of their BSON types. */
  readonly decoding?: BSON.DeserializeOptions
  /** Returns the row itself if it stays. */
  readonly change: (row: StoredRow) => StoredRow
}

export async function countRows(database: Database, rewrite: Rewrite): Promise<number> {
  const { collection, filter, isExact, change } = rewrite
  if (isExact) return database.table(collection).countDocuments(filter, UNHURRIED)
  let count = 0
  for await (const rows of scan(database, rewrite)) {
    count += rows.filter((row) => change(row) !== row).length
  }
  return count
}

type WriteBatch = (work: (session?: Session) => Promise<void>) => Promise<void>

/**
 * Rewrites rows in batches by `_id`. A row with a new `_id` is inserted before the old one is deleted, so that a
 * repetition after a kill finds the old one. Returns the number of rewritten rows.
 * @param write runs the writes of a batch, such as in a transaction
 */
export async function rewriteRows(
  database: Database,
  rewrite: Rewrite,
  write: WriteBatch = (work) => work(),
): Promise<number> {
  let rewritten = 0
  for await (const rows of scan(database, rewrite)) {
    const changes = rows
      .map((before) => ({ before, after: rewrite.change(before) }))
      .filter(({ before, after }) => after !== before)
    if (changes.length === 0) continue
    await write(async (session) => {
      await moveRows(database, rewrite.collection, changes, session)
      await changeRows(database, rewrite.collection, changes, session)
    })
    rewritten += changes.length
  }
  return rewritten
}

async function* scan(
  database: Database,
  { collection, filter, prepare, decoding }: Omit<Rewrite, 'change' | 'isExact'>,
): AsyncGenerator<readonly StoredRow[]> {
  const options = { limit: BATCH, batchSize: BATCH + 1, ...UNHURRIED, ...decoding }
  for (let after: Id | null = null; ;) {
    const beyond: Document = after === null ? {} : { _id: { $gt: after } }
    const rows: readonly StoredRow[] = await database
      .table<StoredRow>(collection)
      .find({ $and: [filter, beyond] }, options)
      .sort({ _id: 1 })
      .toArray()
    const last = rows.at(-1)
    if (last === undefined) return
    await prepare?.(rows)
    yield rows
    after = last._id
  }
}

interface Change {
  readonly before: StoredRow
  readonly after: StoredRow
}

async function moveRows(
  database: Database,
  collection: string,
  changes: readonly Change[],
  session: Session | undefined,
): Promise<void> {
  const moved = changes.filter(({ before, after }) => before._id !== after._id)
  if (moved.length === 0) return
  const table = database.table<StoredRow>(collection)
  const options = { ...UNHURRIED, session }
  // No upsert, because a sharded collection needs its shard key for one.
  await table.deleteMany({ _id: { $in: moved.map(({ after }) => after._id) } }, options)
  await table.insertMany(
    moved.map(({ after }) => after),
    options,
  )
  await table.deleteMany({ _id: { $in: moved.map(({ before }) => before._id) } }, options)
}

async function changeRows(
  database: Database,
  collection: string,
  changes: readonly Change[],
  session: Session | undefined,
): Promise<void> {
  const updates = changes.flatMap(({ before, after }): AnyBulkWriteOperation<StoredRow>[] => {
    if (before._id !== after._id) return []
    const members = Object.entries(after).filter(([name, value]) => value !== before[name])
    const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
    const update = {
      ...(members.length > 0 && { $set: Object.fromEntries(members) }),
      ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((name) => [name, ''])) }),
    }
    return [{ updateOne: { filter: { _id: before._id }, update } }]
  })
  if (updates.length === 0) return
  await database.table<StoredRow>(collection).bulkWrite(updates, { ...UNHURRIED, session })
}
