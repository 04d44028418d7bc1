import type { Document } from 'mongodb'
import { isDuplicateKey } from '../connection/database-error.ts'
import type { Table } from '../connection/table.ts'

/**
 * The driver retries a lost reply. DocumentDB then rejects the row as a duplicate of itself (seen in 2026).
 * The unique value of `own` identifies the row. @throws MongoServerError 11000 for any other duplicate
 */
export async function insertOnce<T extends { readonly _id: string }>(
  collection: Table<T>,
  row: T,
  own: keyof T & string,
): Promise<void> {
  try {
    await collection.insertOne(row as Parameters<typeof collection.insertOne>[0])
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    const filter = { _id: row._id } as Parameters<typeof collection.findOne>[0]
    const stored = await collection.findOne(filter)
    if ((stored as Document | null)?.[own] !== (row as Document)[own]) throw error
  }
}
