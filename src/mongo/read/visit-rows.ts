import type { AbstractCursor, Document } from 'mongodb'
import { beginTimeSlice } from '../../base/time-slice.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { adoptedPipeline } from '../versions/adopted-pipeline.ts'
import { adoptedBytes, versionBytes } from '../versions/adopted-rows.ts'
import { findStages } from '../versions/adopted-table.ts'
import { isAdopted } from '../versions/adopted-expression.ts'
import { optionsOf } from '../connection/time-limits.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'

export interface Find {
  readonly filter: Document
  readonly projection: Document
  readonly sort?: Document
  readonly skip?: number
  readonly limit: number
}

/** Stops if `visit` throws. Large batches yield to the event loop. @throws CmsError for database errors */
export function visitFound(
  database: Database,
  plan: ContentTypePlan,
  find: Find,
  visit: (bytes: Uint8Array) => void,
): Promise<void> {
  const batchSize = batchSizeOf(find.limit)
  const { filter, ...options } = find
  const { collectionName } = plan
  if (isAdopted(plan)) {
    const stages = adoptedPipeline(plan, findStages(find))
    return visitPiped(database, collectionName, stages, { batchSize }, (bytes) => {
      visit(versionBytes({ plan, key: database.revisionKey }, bytes))
    })
  }
  return asCmsErrors(async () => {
    const command = { find: collectionName, ...find, batchSize, ...optionsOf(database) }
    const rows = await database.readAtOnce(command)
    if (rows !== null) return visitBatch(rows, visit)
    const found = database
      .collection(collectionName)
      .find(filter, { ...options, ...optionsOf(database), batchSize, raw: true })
    return visitRows(found, visit)
  })
}

export interface AggregateOptions {
  readonly batchSize?: number
  readonly maxTimeMS?: number
}

export function visitAggregated(
  database: Database,
  plan: ContentTypePlan,
  pipeline: readonly Document[],
  options: AggregateOptions,
  visit: (bytes: Uint8Array) => void,
): Promise<void> {
  const { collectionName } = plan
  if (!isAdopted(plan)) return visitPiped(database, collectionName, pipeline, options, visit)
  return visitPiped(database, collectionName, adoptedPipeline(plan, pipeline), options, (bytes) => {
    visit(adoptedBytes(plan, bytes))
  })
}

function visitPiped(
  database: Database,
  collectionName: string,
  pipeline: readonly Document[],
  { maxTimeMS, ...cursor }: AggregateOptions,
  visit: (bytes: Uint8Array) => void,
): Promise<void> {
  // Evaluated per attempt, because the second attempt may only use the remaining time.
  const bound = () => (maxTimeMS === undefined ? optionsOf(database) : { maxTimeMS })
  return asCmsErrors(async () => {
    const command = { aggregate: collectionName, pipeline, cursor, ...bound() }
    const rows = await database.readAtOnce(command)
    if (rows !== null) return visitBatch(rows, visit)
    const options = { ...bound(), ...cursor, raw: true }
    const found = database.collection(collectionName).aggregate([...pipeline], options)
    return visitRows(found, visit)
  })
}

/** One more than the limit, so that the server closes the cursor after the first batch. */
export function batchSizeOf(limit: number): number {
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

/** The time slice starts with the batch, not with the wait for the database. */
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
