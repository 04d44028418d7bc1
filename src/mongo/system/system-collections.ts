import { type Document, type IndexDescription, MongoServerError } from 'mongodb'
import { isDuplicateKey } from '../connection/database-error.ts'
import type { Table } from '../connection/table.ts'

const NAMESPACE_EXISTS = 48
const ATTEMPTS = 5

/** Safe to run concurrently. Transactions require existing collections. */
export async function ensureIndexes<T extends Document>(
  collection: Table<T>,
  indexes: IndexDescription[],
): Promise<void> {
  await againOn(isNamespaceExists, () => collection.createIndexes(indexes))
}

export async function ensureRow<T extends { readonly _id: string }>(
  collection: Table<T>,
  row: T,
): Promise<void> {
  const { _id, ...rest } = row
  const filter = { _id } as Parameters<typeof collection.updateOne>[0]
  const insert = { $setOnInsert: rest } as unknown as Parameters<typeof collection.updateOne>[1]
  await againOn(isDuplicateKey, () => collection.updateOne(filter, insert, { upsert: true }))
}

/** An upsert with `$inc` is not safe: DocumentDB may return the same number to racing upserts. */
export async function increment<Row extends { readonly _id: string }>(
  collection: Table<Row>,
  row: Row,
  { field, by }: { readonly field: keyof Row & string; readonly by: number },
): Promise<number> {
  const filter = { _id: row._id } as Parameters<typeof collection.findOneAndUpdate>[0]
  const update = { $inc: { [field]: by } } as unknown as Parameters<typeof collection.updateOne>[1]
  for (;;) {
    const stored = await collection.findOneAndUpdate(filter, update, { returnDocument: 'after' })
    if (stored !== null) return Number(Reflect.get(stored, field))
    await ensureRow(collection, row)
  }
}

async function againOn(
  isRace: (error: unknown) => boolean,
  work: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work()
      return
    } catch (error) {
      if (attempt === ATTEMPTS || !isRace(error)) throw error
    }
  }
}

function isNamespaceExists(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === NAMESPACE_EXISTS
}
