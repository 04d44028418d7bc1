import { type IndexDescriptionInfo, MongoServerError } from 'mongodb'
import { mapConcurrently } from '../../base/map-concurrently.ts'
import { SchemaError } from '../../schema/schema-error.ts'
import { asCmsErrors, isDuplicateKey, toCmsError } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { withLease } from '../system/lease.ts'
import { freeIndexName, planNameOf } from '../versions/index-names.ts'
import type { CollectionPlan, IndexPlan } from './collection-plan.ts'
import { partialFilterText } from './partial-filter.ts'
import { findStoredCollections, type StoredCollections } from './stored-collections.ts'

export interface IndexReport {
  readonly built: readonly string[]
  readonly replaced: readonly string[]
  readonly strays: readonly string[]
}

interface Difference {
  readonly collection: string
  readonly missing: readonly IndexPlan[]
  /** Built by Quire, but no longer declared or declared differently. */
  readonly outdated: readonly string[]
  readonly strays: readonly string[]
  readonly names: ReadonlySet<string>
}

const NAMESPACE_NOT_FOUND = 26
const INDEX_NOT_FOUND = 27
const CANNOT_CREATE_INDEX = 67
/** IndexAlreadyExists, IndexOptionsConflict, IndexKeySpecsConflict. */
const NOT_BESIDE: ReadonlySet<unknown> = new Set([68, 85, 86])

/** Far fewer than the connections of the pool, because a start with many content-types must not wait for one. */
const CONCURRENCY = 8

/** @throws Error if the process may not change indexes any more */
type IndexGuard = () => Promise<void>

/**
 * Runs under a lease. `stored` saves a command per missing collection.
 * @throws SchemaError if stored values violate a declared uniqueness
 * @param guard runs before each change
 */
export async function syncIndexes(
  database: Database,
  collections: readonly CollectionPlan[],
  stored: StoredCollections | null = null,
  guard: IndexGuard = () => Promise.resolve(),
): Promise<IndexReport> {
  const before = await compareAll(database, collections, stored)
  const strays = before.flatMap(({ strays }) => strays)
  if (before.every(isSettled)) return { built: [], replaced: [], strays }
  return withLease(database, 'indexes', async () => {
    const current = stored === null ? null : await findStoredCollections(database)
    const differences = (await compareAll(database, collections, current)).filter(
      (difference) => !isSettled(difference),
    )
    await mapConcurrently(differences, CONCURRENCY, async (difference) => {
      try {
        await apply(database, difference, guard)
      } catch (error) {
        throw toSchemaError(difference.collection, error)
      }
    })
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

export function compareAll(
  database: Database,
  collections: readonly CollectionPlan[],
  stored: StoredCollections | null = null,
): Promise<readonly Difference[]> {
  return mapConcurrently(collections, CONCURRENCY, async (plan) => {
    const isStored = stored?.has(plan.name) !== false
    const indexes = plan.indexes.map((index) => fitIndex(database, index))
    return compare({ ...plan, indexes }, isStored ? await listIndexes(database, plan.name) : [])
  })
}

function fitIndex({ isEmbedded }: Database, { serverKey, ...index }: IndexPlan): IndexPlan {
  return isEmbedded || serverKey === undefined ? index : { ...index, key: serverKey }
}

function compare(
  { name, indexes }: CollectionPlan,
  stored: readonly IndexDescriptionInfo[],
): Difference {
  const present = stored.map((index) => ({
    index,
    name: index.name ?? '',
    planName: planNameOf(index.name ?? ''),
  }))
  const current = new Map(
    indexes.flatMap((plan) => {
      const found = present.find(
        ({ index, planName }) => planName === plan.name && isSame(plan, index),
      )
      return found === undefined ? [] : [[plan.name, found.name] as const]
    }),
  )
  const others = present.filter((index) => index.name !== ID_INDEX)
  const outdated = others.filter(
    (index) => index.planName !== null && current.get(index.planName) !== index.name,
  )
  const strays = others.filter(({ planName }) => planName === null)
  return {
    collection: name,
    missing: indexes.filter((plan) => !current.has(plan.name)),
    outdated: outdated.map((index) => index.name),
    strays: strays.map((stray) => `${name}.${stray.name}`),
    names: new Set(present.map((index) => index.name)),
  }
}

const ID_INDEX = '_id_'

export async function listIndexes(
  database: Database,
  collection: string,
): Promise<readonly IndexDescriptionInfo[]> {
  try {
    const cursor = database.collection(collection).listIndexes()
    return (await asCmsErrors(() => cursor.toArray())) as readonly IndexDescriptionInfo[] // the driver types it any
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return []
    throw error
  }
}

function isSame(plan: IndexPlan, stored: IndexDescriptionInfo): boolean {
  const filter = stored['partialFilterExpression'] ?? null
  return (
    keyText(plan.key) === keyText(stored.key) &&
    plan.unique === (stored.unique ?? false) &&
    partialFilterText(plan.partialFilterExpression) === partialFilterText(filter)
  )
}

/** Engines store different number types: 1, 1.0 and 1n are the same direction. */
function keyText(key: object): string {
  return JSON.stringify(Object.entries(key).map(([path, direction]) => [path, Number(direction)]))
}

/** Builds before it drops, to keep uniqueness enforced. Drops first if there is no room or indexes cannot coexist. */
async function apply(database: Database, difference: Difference, guard: IndexGuard): Promise<void> {
  const { collection, missing, outdated, names } = difference
  const replacedBy = ({ name }: IndexPlan): readonly string[] =>
    outdated.filter((old) => planNameOf(old) === name)
  const undeclared = outdated.filter(
    (old) => !missing.some((plan) => replacedBy(plan).includes(old)),
  )
  const drop = async (which: readonly string[]): Promise<void> => {
    if (which.length === 0) return
    await guard()
    await dropIndexes(database, collection, which)
  }
  const create = async (plans: readonly IndexPlan[]): Promise<void> => {
    if (plans.length === 0) return
    await guard()
    await build(database, collection, plans)
  }
  const added = missing.filter((plan) => replacedBy(plan).length === 0)
  await eitherOrder(new Set([CANNOT_CREATE_INDEX]), {
    build: () => create(added),
    drop: () => drop(undeclared),
  })
  for (const plan of missing) {
    const replaced = replacedBy(plan)
    if (replaced.length === 0) continue
    await eitherOrder(NOT_BESIDE, {
      build: () => create([{ ...plan, name: freeIndexName(plan.name, names) }]),
      drop: () => drop(replaced),
    })
  }
}

async function eitherOrder(
  codes: ReadonlySet<unknown>,
  { build, drop }: { readonly build: () => Promise<void>; readonly drop: () => Promise<void> },
): Promise<void> {
  try {
    await build()
  } catch (error) {
    if (!(error instanceof MongoServerError && codes.has(error.code))) throw error
    await drop()
    await build()
  }
  await drop()
}

async function build(
  database: Database,
  collection: string,
  plans: readonly IndexPlan[],
): Promise<void> {
  await database.collection(collection).createIndexes(
    plans.map(({ name, key, unique, partialFilterExpression }) => ({
      name,
      key,
      ...(unique && { unique }),
      ...(partialFilterExpression !== null && { partialFilterExpression }),
    })),
  )
}

/** Drops the indexes of Quire that name one of these members. @param names top-level members */
export async function dropIndexesOf(
  database: Database,
  collection: string,
  names: ReadonlySet<string>,
): Promise<void> {
  const indexes = await listIndexes(database, collection)
  const own = indexes.filter(({ name = '', key }) => {
    const members = Object.keys(key).map((path) => path.split('.')[0] ?? path)
    return planNameOf(name) !== null && members.some((member) => names.has(member))
  })
  await dropIndexes(
    database,
    collection,
    own.map(({ name = '' }) => name),
  )
}

async function dropIndexes(
  database: Database,
  collection: string,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    try {
      await database.collection(collection).dropIndex(name)
    } catch (error) {
      if (!(error instanceof MongoServerError && error.code === INDEX_NOT_FOUND)) throw error
    }
  }
}

/** Converts errors that the declaration causes to a SchemaError. Returns other errors unchanged. */
export function toSchemaError(collection: string, error: unknown): unknown {
  if (isDuplicateKey(error)) {
    return new SchemaError([
      `${collection}: stored values repeat where an attribute is declared unique (${error.message}); ` +
        'make them different, or declare the attribute without "unique"; a uid is always unique',
    ])
  }
  if (error instanceof MongoServerError && error.code === CANNOT_CREATE_INDEX) {
    return new SchemaError([
      `${collection}: the database cannot build what is declared (${error.message}); of a sharded ` +
        'collection no attribute can be unique, see docs/sharding.md',
    ])
  }
  return toCmsError(error)
}
