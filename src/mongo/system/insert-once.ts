import type { Collection, Document } from 'mongodb'
import { isDuplicateKey } from '../connection/database-error.ts'

export interface InsertOptions {
  readonly own: string
  readonly maxTimeMS: number
}

/**
 * The driver retries a lost reply. DocumentDB behind its gateway (observed in 2026) then rejects
 * the
 * row as a duplicate of itself. @throws MongoServerError 11000 for a duplicate of any other row
 */
export async function insertOnce<T extends { readonly _id: string }>(
  collection: Collection<T>,
  row: T,
  { own, maxTimeMS }: InsertOptions,
): Promise<void> {
  try {
    await collection.insertOne(row as Parameters<typeof collection.insertOne>[0], { maxTimeMS })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    const filter = { _id: row._id } as Parameters<typeof collection.findOne>[0]
    const stored = await collection.findOne(filter, { maxTimeMS })
    if ((stored as Document | null)?.[own] !== (row as Document)[own]) throw error
  }
}
