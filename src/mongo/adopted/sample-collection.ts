import { BSON, type Document } from 'mongodb'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { emptyProfile, type FieldProfile, noteMembers } from './field-profile.ts'

export interface CollectionSample {
  readonly collection: string
  readonly documents: number
  readonly profile: FieldProfile
  readonly indexes: readonly string[]
}

/** Bounds the memory and the time of large documents. */
const MAX_BYTES = 64 * 1024 * 1024
const BATCH = 100

/** Half of the documents have the lowest ids, half the highest, because the documents of a service change over time. */
export async function sampleCollection(
  database: Database,
  collection: string,
  size: number,
): Promise<CollectionSample> {
  const profile = emptyProfile()
  const seen = new Set<string>()
  let bytes = 0
  for (const direction of [1, -1] as const) {
    const limit = Math.ceil(size / 2)
    await visitDocuments(database, { collection, direction, limit }, (raw) => {
      const document = BSON.deserialize(raw, { useBigInt64: true })
      bytes += raw.length
      const { _id, ...members } = document
      const id: unknown = _id
      const key = BSON.EJSON.stringify({ id })
      if (!seen.has(key) && seen.size < size) {
        seen.add(key)
        noteMembers(profile, members)
      }
      return bytes < MAX_BYTES
    })
  }
  const indexes = await asCmsErrors(() => database.collection(collection).indexes())
  return {
    collection,
    documents: seen.size,
    profile,
    indexes: indexes.map(({ key }) => Object.keys(key).join(', ')),
  }
}

async function visitDocuments(
  database: Database,
  {
    collection,
    direction,
    limit,
  }: { readonly collection: string; readonly direction: 1 | -1; readonly limit: number },
  visit: (raw: Uint8Array) => boolean,
): Promise<void> {
  const options = { raw: true, batchSize: BATCH, maxTimeMS: database.queryTimeoutMs }
  await asCmsErrors(async () => {
    const found = database
      .collection(collection)
      .find({}, options)
      .sort({ _id: direction })
      .limit(limit)
    try {
      for await (const raw of found) if (!visit(raw as unknown as Uint8Array)) return
    } finally {
      await found.close()
    }
  })
}

/** Collections of Quire and of MongoDB are left out. */
export async function listForeignCollections(database: Database): Promise<readonly string[]> {
  const reply = await database.command({
    listCollections: 1,
    nameOnly: true,
    authorizedCollections: true,
    cursor: { batchSize: MAX_COLLECTIONS },
  })
  const { firstBatch } = reply['cursor'] as { readonly firstBatch: readonly Document[] }
  return firstBatch
    .map(({ name }) => String(name))
    .filter((name) => !OWN.test(name))
    .sort()
}

const MAX_COLLECTIONS = 1_000
const OWN = /^(?:quire_|system\.|fs\.|up_users$|files$)/i

/** How many of these ids the collection has. */
export async function countIds(
  database: Database,
  collection: string,
  ids: readonly unknown[],
): Promise<number> {
  const filter: Document = { _id: { $in: [...ids] } }
  return database.table(collection).countDocuments(filter)
}
