import { boundedReads } from '../../mongo/connection/time-limits.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { findNearestPage, type NearestQuery } from '../../mongo/read/find-nearest.ts'
import { toCursor } from '../../query/cursor.ts'
import { type FoundDocuments, showWithin } from './find-documents.ts'

export interface NearestDocuments extends FoundDocuments {
  /** In meters, in the order of `entries`. */
  readonly distances: readonly number[]
}

export async function findNearest(
  database: Database,
  query: NearestQuery,
): Promise<NearestDocuments> {
  const bounded = boundedReads(database)
  const { versions, next, ...found } = await findNearestPage(bounded, query)
  const nextCursor = next === null ? null : toCursor(query.nearest.order, next)
  const entries = await showWithin(bounded, versions, query.version.status, query)
  return { entries, nextCursor, ...found }
}
