import type { AbstractCursor, Document } from 'mongodb'
import type { AnswerSize } from '../../query/answer-size.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { beginTimeSlice } from '../../base/time-slice.ts'
import { optionsOf } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { decodeVersion, type StoredVersion } from '../versions/stored-version.ts'
import { type Conditions, matchStages } from './conditions.ts'
import type { SortPlan } from './sort-plan.ts'
import { matchAll } from './translate-filter.ts'

export interface ReadPlan {
  readonly filter: Document
  readonly conditions: Conditions
  readonly order: SortPlan
  readonly chosen: readonly Document[]
  readonly skip: number
  /** 0: no limit. */
  readonly limit: number
  readonly projection: Document
  /** Tracks the size of the response that the read is for. */
  readonly answer: AnswerSize
}

/** Reads versions with one find, or with an aggregation if lookups are needed. Up to 16 MB. */
export function readVersions(
  database: Database,
  plan: ContentTypePlan,
  read: ReadPlan,
): Promise<readonly StoredVersion[]> {
  return readAs(decodeVersion, database, plan, read)
}

/** Like `readVersions`, with each version as raw BSON. */
export function readBytes(
  database: Database,
  plan: ContentTypePlan,
  read: ReadPlan,
): Promise<readonly Uint8Array[]> {
  return readAs((bytes) => bytes, database, plan, read)
}

function readAs<T>(
  decode: (bytes: Uint8Array) => T,
  database: Database,
  plan: ContentTypePlan,
  { filter, conditions, order, chosen, skip, limit, projection, answer }: ReadPlan,
): Promise<readonly T[]> {
  const rows: T[] = []
  const isSorted = Object.keys(order.sort).length > 0
  const sort = isSorted ? { sort: order.sort } : {}
  const visit = (bytes: Uint8Array): void => {
    answer.read(bytes.length)
    rows.push(decode(bytes))
  }
  return asCmsErrors(async () => {
    if (order.lookups.length + conditions.lookups.length + chosen.length === 0) {
      const match = matchAll([filter, conditions.match])
      await visitFound(database, plan, { filter: match, ...sort, skip, limit, projection }, visit)
      return rows
    }
    const stages = matchStages(filter, conditions)
    stages.push(...order.lookups)
    if (isSorted) stages.push({ $sort: order.sort })
    stages.push(...chosen)
    if (skip > 0) stages.push({ $skip: skip })
    if (limit > 0) stages.push({ $limit: limit })
    stages.push({ $project: projection })
    await visitAggregated(database, plan, stages, { batchSize: batchOf(limit) }, visit)
    return rows
  })
}

/** The options of a `find` command. */
export interface Find {
  readonly filter: Document
  readonly projection: Document
  /** If present, it has at least one path. */
  readonly sort?: Document
  readonly skip?: number
  /** 0: no limit. */
  readonly limit: number
}

/**
 * Passes the BSON of each row to `visit`, batch by batch. A read stops when `visit` throws, and
 * large batches yield to the event loop. If the rows do not fit into one reply, they are read again
 * with a cursor.
 */
export async function visitFound(
  database: Database,
  { collectionName }: ContentTypePlan,
  find: Find,
  visit: (bytes: Uint8Array) => void,
): Promise<void> {
  const batchSize = batchOf(find.limit)
  const rows = await database.readAtOnce({
    find: collectionName,
    ...find,
    batchSize,
    ...optionsOf(database),
  })
  if (rows !== null) {
    await visitBatch(rows, visit)
    return
  }
  const { filter, ...options } = find
  const found = database
    .collection(collectionName)
    .find(filter, { ...options, ...optionsOf(database), batchSize, raw: true })
  await visitRows(found, visit)
}

export interface AggregateOptions {
  readonly batchSize?: number
  readonly maxTimeMS?: number
}

/** Like `visitFound`, for an aggregation. */
export async function visitAggregated(
  database: Database,
  { collectionName }: ContentTypePlan,
  pipeline: readonly Document[],
  { maxTimeMS, ...cursor }: AggregateOptions,
  visit: (bytes: Uint8Array) => void,
): Promise<void> {
  // Evaluated per attempt, because the second attempt may only use the remaining time.
  const bound = () => (maxTimeMS === undefined ? optionsOf(database) : { maxTimeMS })
  const aggregate = { aggregate: collectionName, pipeline, cursor, ...bound() }
  const rows = await database.readAtOnce(aggregate)
  if (rows !== null) {
    await visitBatch(rows, visit)
    return
  }
  const options = { ...bound(), ...cursor, raw: true }
  const found = database.collection(collectionName).aggregate([...pipeline], options)
  await visitRows(found, visit)
}

/** One more than the limit, so that the server closes the cursor after the first batch. */
function batchOf(limit: number): number {
  return limit === 0 ? MAX_BATCH : limit + 1
}

const MAX_BATCH = 100_000

async function visitRows(found: AbstractCursor, visit: (bytes: Uint8Array) => void): Promise<void> {
  try {
    while (await found.hasNext()) {
      await visitBatch(found.readBufferedDocuments() as Uint8Array[], visit)
    }
  } finally {
    await found.close()
  }
}

/**
 * The time slice starts with the batch. If it included the wait for the database, the first row
 * would already yield.
 */
async function visitBatch(
  batch: readonly Uint8Array[],
  visit: (bytes: Uint8Array) => void,
): Promise<void> {
  const slice = beginTimeSlice()
  for (const bytes of batch) {
    visit(bytes)
    if (slice.isOver()) await slice.next()
  }
}
