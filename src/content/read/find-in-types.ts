import type { Database } from '../../mongo/connection/database.ts'
import { boundedReads } from '../../mongo/connection/time-limits.ts'
import type { Query } from '../../query/query.ts'
import { findEntries, type FoundEntries } from './find-entries.ts'

/** Runs the queries one after the other, within the time of one response. */
export async function findInTypes(
  unbounded: Database,
  queries: readonly Query[],
): Promise<readonly FoundEntries[]> {
  const database = boundedReads(unbounded)
  const found: FoundEntries[] = []
  for (const query of queries) found.push(await findEntries(database, query))
  return found
}
