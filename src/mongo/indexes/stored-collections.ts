import type { Document } from 'mongodb'
import type { Database } from '../connection/database.ts'

/** Every collection if the database has too many to list. */
export type StoredCollections = Pick<ReadonlySet<string>, 'has'>

const EVERY: StoredCollections = { has: () => true }

/** One batch of names fits into a reply. */
const BATCH = 50_000

/** Collections that do not exist have neither indexes nor content, so a first start skips them. */
export async function findStoredCollections(database: Database): Promise<StoredCollections> {
  const reply = await database.command({
    listCollections: 1,
    nameOnly: true,
    authorizedCollections: true,
    cursor: { batchSize: BATCH },
  })
  const { id, firstBatch } = reply['cursor'] as {
    readonly id: unknown
    readonly firstBatch: readonly Document[]
  }
  return Number(id) === 0 ? new Set(firstBatch.map(({ name }) => String(name))) : EVERY
}
