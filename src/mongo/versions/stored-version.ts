import { BSON, type Collection, type Document } from 'mongodb'
import type { Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database, Session } from '../connection/database.ts'
import { type Conditions, matchStages } from '../read/conditions.ts'
import type { SortPlan } from '../read/sort-plan.ts'
import { matchAll } from '../read/translate-filter.ts'

/** One version of a document as it is stored, with its attributes beside these. */
export interface StoredVersion extends Data {
  readonly id: number
  readonly documentId: string
  readonly locale: string
  readonly status: Status
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly publishedAt: Date | null
  /** Another one after every write (`revision.ts`); absent from what was stored before there were any. */
  readonly _revision?: string
}

/** What MongoDB holds: a version and its `_id`, see `versionId`. */
export type VersionDocument = Document & { readonly _id: string }

/** All versions of all documents of a content-type. */
export function versionsOf(database: Database, plan: ContentTypePlan): Collection<VersionDocument> {
  return database.collection<VersionDocument>(plan.collectionName)
}

/** Versions are written by this room alone, so what is read is one. */
export function asVersion(document: Document): StoredVersion {
  return document as unknown as StoredVersion
}

/**
 * The bytes of one version, as the driver would read them. Where commands are monitored it (7.8) decodes an answer for
 * its events and once more for its reader, unless the reader takes bytes: half of what monitoring cost.
 */
function decodeVersion(bytes: Document): StoredVersion {
  return asVersion(BSON.deserialize(bytes as Uint8Array, { useBigInt64: true }))
}

/** A read of versions: those that match, in an order, a part of them, with what is needed. */
export interface ReadPlan {
  /** Which versions it is about. */
  readonly filter: Document
  readonly conditions: Conditions
  readonly order: SortPlan
  /** See `chooseVersions`. */
  readonly chosen: readonly Document[]
  readonly skip: number
  /** 0: all of them. */
  readonly limit: number
  readonly projection: Document
}

/**
 * Reads versions with one command: a find, or where the order leads through relations an aggregation.
 * The whole answer comes in the first batch, up to 16 MB.
 */
export function readVersions(
  database: Database,
  plan: ContentTypePlan,
  { filter, conditions, order, chosen, skip, limit, projection }: ReadPlan,
): Promise<readonly StoredVersion[]> {
  const collection = versionsOf(database, plan)
  const options = {
    ...optionsOf(database),
    batchSize: limit === 0 ? MAX_BATCH : limit + 1,
  }
  return asCmsErrors(async () => {
    if (order.lookups.length + conditions.lookups.length + chosen.length === 0) {
      const found = collection.find(matchAll([filter, conditions.match]), {
        ...options,
        sort: order.sort,
        skip,
        limit,
        projection,
        raw: true,
      })
      return (await found.toArray()).map(decodeVersion)
    }
    const stages = matchStages(filter, conditions)
    stages.push(...order.lookups)
    if (Object.keys(order.sort).length > 0) stages.push({ $sort: order.sort })
    stages.push(...chosen)
    if (skip > 0) stages.push({ $skip: skip })
    if (limit > 0) stages.push({ $limit: limit })
    const found = collection.aggregate([...stages, { $project: projection }], options)
    return (await found.toArray()).map(asVersion)
  })
}

const MAX_BATCH = 100_000

export interface CommandOptions {
  readonly maxTimeMS: number
  readonly session?: Session
}

/** The bound of one command, and the transaction that it belongs to. */
export function optionsOf(database: Database, session?: Session): CommandOptions {
  const maxTimeMS = database.queryTimeoutMs
  return session === undefined ? { maxTimeMS } : { maxTimeMS, session }
}

/**
 * Runs what may be part of a transaction. There a driver's error must reach the driver as it is, for its
 * retry rules; elsewhere it is told to the client.
 * @throws CmsError outside of a transaction, as `asCmsErrors` does.
 */
export function run<T>(session: Session | undefined, command: () => Promise<T>): Promise<T> {
  return session === undefined ? asCmsErrors(command) : command()
}
