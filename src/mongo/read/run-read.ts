import type { AbstractCursor, Document } from 'mongodb'
import type { AnswerSize } from '../../query/answer-size.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { beginTimeSlice } from '../../time-slice.ts'
import { optionsOf } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { assertJoinable } from '../connection/sharded-joins.ts'
import { decodeVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { type Conditions, matchStages } from './conditions.ts'
import type { SortPlan } from './sort-plan.ts'
import { matchAll } from './translate-filter.ts'

/** A read of versions: those that match, in an order, a part of them, with what is needed. */
export interface ReadPlan {
  /** Which versions it is about. */
  readonly filter: Document
  readonly conditions: Conditions
  readonly order: SortPlan
  /** See `fallbackStages`. */
  readonly chosen: readonly Document[]
  readonly skip: number
  /** 0: all of them. */
  readonly limit: number
  readonly projection: Document
  /** What it is read for. */
  readonly answer: AnswerSize
}

/**
 * Reads versions with one command: a find, or where the order leads through relations an aggregation.
 * The whole answer comes in the first batch, up to 16 MB.
 */
export function readVersions(
  database: Database,
  plan: ContentTypePlan,
  read: ReadPlan,
): Promise<readonly StoredVersion[]> {
  return readAs(decodeVersion, database, plan, read)
}

/** The same, each version as the bytes that the database has sent. */
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
  const collection = versionsOf(database, plan)
  const options = {
    ...optionsOf(database),
    batchSize: limit === 0 ? MAX_BATCH : limit + 1,
    raw: true,
  }
  return asCmsErrors(async () => {
    if (order.lookups.length + conditions.lookups.length + chosen.length === 0) {
      const found = collection.find(matchAll([filter, conditions.match]), {
        ...options,
        sort: order.sort,
        skip,
        limit,
        projection,
      })
      return decodeRows(found, answer, decode)
    }
    const stages = matchStages(filter, conditions)
    stages.push(...order.lookups)
    if (Object.keys(order.sort).length > 0) stages.push({ $sort: order.sort })
    stages.push(...chosen)
    if (skip > 0) stages.push({ $skip: skip })
    if (limit > 0) stages.push({ $limit: limit })
    assertJoinable(database, stages)
    const found = collection.aggregate([...stages, { $project: projection }], options)
    return decodeRows(found, answer, decode)
  })
}

async function decodeRows<T>(
  found: AbstractCursor,
  answer: AnswerSize,
  decode: (bytes: Uint8Array) => T,
): Promise<readonly T[]> {
  const rows: T[] = []
  await readRows(found, (bytes) => {
    answer.read(bytes.length)
    rows.push(decode(bytes))
  })
  return rows
}

/**
 * Gives the bytes of each row to `visit`, batch by batch: what is too much for it is not fetched to its end, and many
 * rows keep nobody waiting.
 */
export async function readRows(
  found: AbstractCursor,
  visit: (bytes: Uint8Array) => void,
): Promise<void> {
  try {
    while (await found.hasNext()) {
      await visitBatch(found.readBufferedDocuments() as Uint8Array[], visit)
    }
  } finally {
    await found.close()
  }
}

/** The slice begins with the batch: the time that the database took is no work, and would cost the rows a turn. */
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

const MAX_BATCH = 100_000
