import { type IndexDescriptionInfo, MongoServerError } from 'mongodb'
import { SchemaError } from '../../errors.ts'
import { INDEX_PREFIX, type CollectionPlan, type IndexPlan } from './collection-plan.ts'
import { isDuplicateKey } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { withLease } from '../system/lease.ts'

export interface IndexReport {
  /** `collection.index`, of what was missing. */
  readonly built: readonly string[]
  /** Of ours that were declared otherwise before, or are no longer declared. */
  readonly replaced: readonly string[]
  /** Indexes on content collections that are not ours; they are left alone. */
  readonly strays: readonly string[]
}

interface Difference {
  readonly collection: string
  readonly missing: readonly IndexPlan[]
  /** Names of ours to drop first. */
  readonly outdated: readonly string[]
  readonly strays: readonly string[]
}

const NAMESPACE_NOT_FOUND = 26
const INDEX_NOT_FOUND = 27
const CANNOT_CREATE_INDEX = 67

/**
 * Makes the indexes of every content collection what they are declared to be. Processes that start
 * together compare first and write under a lease, so that the work is done once.
 * @throws SchemaError when stored values break a uniqueness that is now declared.
 */
export async function syncIndexes(
  database: Database,
  collections: readonly CollectionPlan[],
): Promise<IndexReport> {
  const before = await compareAll(database, collections)
  const strays = before.flatMap(({ strays }) => strays)
  if (before.every(isSettled)) return { built: [], replaced: [], strays }
  return withLease(database, 'indexes', async () => {
    const differences = (await compareAll(database, collections)).filter(
      (difference) => !isSettled(difference),
    )
    for (const difference of differences) await apply(database, difference)
    return {
      built: differences.flatMap(({ collection, missing }) =>
        missing.map(({ name }) => `${collection}.${name}`),
      ),
      replaced: differences.flatMap(({ collection, outdated }) =>
        outdated.map((name) => `${collection}.${name}`),
      ),
      strays,
    }
  })
}

function isSettled({ missing, outdated }: Difference): boolean {
  return missing.length === 0 && outdated.length === 0
}

/** What is there beside what is declared, one difference for each collection, in their order. */
export function compareAll(
  database: Database,
  collections: readonly CollectionPlan[],
): Promise<readonly Difference[]> {
  return Promise.all(collections.map((collection) => compare(database, collection)))
}

async function compare(database: Database, { name, indexes }: CollectionPlan): Promise<Difference> {
  const present = (await listIndexes(database, name)).filter((index) => index.name !== '_id_')
  const ours = present.filter((index) => index.name?.startsWith(INDEX_PREFIX) === true)
  const isCurrent = (stored: IndexDescriptionInfo): boolean =>
    indexes.some((index) => index.name === stored.name && isSame(index, stored))
  return {
    collection: name,
    missing: indexes.filter(
      (index) => !ours.some((stored) => stored.name === index.name && isSame(index, stored)),
    ),
    outdated: ours.filter((stored) => !isCurrent(stored)).flatMap((stored) => stored.name ?? []),
    strays: present
      .filter((stored) => !ours.includes(stored))
      .map((stored) => `${name}.${stored.name ?? ''}`),
  }
}

/** The indexes of a collection, `_id_` included; none of one that does not exist. */
export async function listIndexes(
  database: Database,
  collection: string,
): Promise<readonly IndexDescriptionInfo[]> {
  try {
    const cursor = database.collection(collection).listIndexes()
    return (await cursor.toArray()) as readonly IndexDescriptionInfo[] // the driver types it any
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return []
    throw error
  }
}

function isSame(index: IndexPlan, stored: IndexDescriptionInfo): boolean {
  return (
    textOf(Object.entries(index.key)) === textOf(Object.entries(stored.key)) &&
    index.unique === (stored.unique ?? false) &&
    textOf(index.partialFilterExpression) === textOf(stored['partialFilterExpression'] ?? null)
  )
}

/** Engines differ in the number type they keep: 1, 1.0 and 1n are one declaration. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'bigint' ? Number(item) : item,
  )
}

async function apply(database: Database, difference: Difference): Promise<void> {
  const collection = database.collection(difference.collection)
  for (const name of difference.outdated) {
    try {
      await collection.dropIndex(name)
    } catch (error) {
      if (!(error instanceof MongoServerError && error.code === INDEX_NOT_FOUND)) throw error
    }
  }
  if (difference.missing.length === 0) return
  try {
    await collection.createIndexes(
      difference.missing.map(({ name, key, unique, partialFilterExpression }) => ({
        name,
        key,
        ...(unique && { unique }),
        ...(partialFilterExpression !== null && { partialFilterExpression }),
      })),
    )
  } catch (error) {
    throw toSchemaError(difference.collection, error)
  }
}

/** Why an index cannot be built, where it is the declaration that asks for what cannot be; else the error itself. */
export function toSchemaError(collection: string, error: unknown): unknown {
  if (isDuplicateKey(error)) {
    return new SchemaError([
      `${collection}: stored values repeat where an attribute is declared unique (${error.message}); ` +
        'make them different, or declare the attribute without "unique"',
    ])
  }
  if (error instanceof MongoServerError && error.code === CANNOT_CREATE_INDEX) {
    return new SchemaError([
      `${collection}: the database cannot build what is declared (${error.message}); of a sharded ` +
        'collection no attribute can be unique, see docs/scaling.md',
    ])
  }
  return error
}
