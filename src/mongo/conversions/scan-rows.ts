import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { BULK_TIMEOUT_MS } from '../read/get-versions.ts'
import { type VersionDocument, versionsOf } from '../versions/stored-version.ts'

const BATCH = 500

/** Yields the versions with one of these members in batches by `_id`. The batches are not from one snapshot. */
export async function* scanRows(
  database: Database,
  plan: ContentTypePlan,
  names: readonly string[],
  start = '',
): AsyncGenerator<readonly VersionDocument[]> {
  const $or = names.map((name) => ({ [name]: { $ne: null } }))
  const projection = Object.fromEntries([...names, '_revision'].map((name) => [name, 1]))
  const options = { projection, limit: BATCH, batchSize: BATCH + 1, maxTimeMS: BULK_TIMEOUT_MS }
  for (let after = start; ;) {
    const rows = await versionsOf(database, plan)
      .find({ _id: { $gt: after }, $or }, options)
      .sort({ _id: 1 })
      .toArray()
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last._id
  }
}
