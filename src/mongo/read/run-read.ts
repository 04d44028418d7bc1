import { BSON, type Document } from 'mongodb'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { optionsOf } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { asVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { type Conditions, matchStages } from './conditions.ts'
import type { SortPlan } from './sort-plan.ts'
import { matchAll } from './translate-filter.ts'

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
