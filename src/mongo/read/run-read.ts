import type { Document } from 'mongodb'
import type { AnswerSize } from '../../query/answer-size.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { decodeVersion, type StoredVersion } from '../versions/stored-version.ts'
import type { SortPlan } from './sort-plan.ts'
import { type Conditions, matchAll, matchStages } from './translate-filter.ts'
import { batchSizeOf, visitAggregated, visitFound } from './visit-rows.ts'

export interface ReadPlan {
  readonly filter: Document
  readonly conditions: Conditions
  readonly order: SortPlan
  readonly chosen: readonly Document[]
  readonly skip: number
  readonly limit: number
  readonly projection: Document
  readonly answer: AnswerSize
}

/** Reads versions with one find, or with an aggregation if lookups are needed. Up to 16 MB. */
export function readVersions(
  database: Database,
  plan: ContentTypePlan,
  read: ReadPlan,
): Promise<readonly StoredVersion[]> {
  return readAs((bytes) => decodeVersion(plan, bytes), database, plan, read)
}

export function readBytes(
  database: Database,
  plan: ContentTypePlan,
  read: ReadPlan,
): Promise<readonly Uint8Array[]> {
  return readAs((bytes) => bytes, database, plan, read)
}

async function readAs<T>(
  decode: (bytes: Uint8Array) => T,
  database: Database,
  plan: ContentTypePlan,
  read: ReadPlan,
): Promise<readonly T[]> {
  const rows: T[] = []
  await visitVersions(database, plan, read, (bytes) => rows.push(decode(bytes)))
  return rows
}

/** Calls `visitRow` for each row, without storing the rows. */
export async function visitVersions(
  database: Database,
  plan: ContentTypePlan,
  { filter, conditions, order, chosen, skip, limit, projection, answer }: ReadPlan,
  visitRow: (bytes: Uint8Array) => void,
): Promise<void> {
  const isSorted = Object.keys(order.sort).length > 0
  const sort = isSorted ? { sort: order.sort } : {}
  const visit = (bytes: Uint8Array): void => {
    answer.read(bytes.length)
    visitRow(bytes)
  }
  if (order.lookups.length + conditions.lookups.length + chosen.length === 0) {
    const match = matchAll([filter, conditions.match])
    return visitFound(database, plan, { filter: match, ...sort, skip, limit, projection }, visit)
  }
  const stages = matchStages(filter, conditions)
  stages.push(...order.lookups)
  if (isSorted) stages.push({ $sort: order.sort })
  stages.push(...chosen)
  if (skip > 0) stages.push({ $skip: skip })
  if (limit > 0) stages.push({ $limit: limit })
  stages.push({ $project: projection })
  return visitAggregated(database, plan, stages, { batchSize: batchSizeOf(limit) }, visit)
}
