import { readSynced } from '../../mongo/read/read-synced.ts'
import { projectionOf } from '../../mongo/search/fresh-drafts.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Indexing } from './search-writer.ts'

/** Reads the versions as they are now. Deleted versions are removed from the index. */
export async function indexVersions(
  indexing: Indexing,
  plan: ContentTypePlan,
  ids: readonly string[],
): Promise<void> {
  const { database, writer } = indexing
  const moment = { database: database.majority, session: undefined }
  const versions = await readSynced(
    moment,
    plan,
    { filter: null, condition: null, projection: projectionOf(plan) },
    ids,
  )
  await writer.put(indexing, plan, versions)
  const found = new Set(versions.map(({ _id }) => _id))
  const missing = ids.filter((_id) => !found.has(_id))
  if (missing.length > 0) await writer.remove(indexing, plan, missing)
}
