import type { Document } from 'mongodb'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { BULK_TIMEOUT_MS } from '../read/get-versions.ts'
import { deletionsIn, type TrashedVersion, trashedVersionsIn } from '../trash/trash-rows.ts'
import { changedPaths } from './changed-paths.ts'
import { type Conversions, convertMembers } from '../versions/convert-row.ts'
import type { Fence } from './run-row.ts'

const BATCH = 100

/** No request waits for a conversion. */
const UNHURRIED = { maxTimeMS: BULK_TIMEOUT_MS } as const

/** Converts deleted versions, so that a restore brings back values of the current type. */
export async function convertTrash(
  database: Database,
  plan: ContentTypePlan,
  conversions: Conversions,
  fence: Fence,
): Promise<void> {
  for await (const rows of scanTrash(database, plan)) {
    const updates = rows.flatMap(({ _id, version }) => {
      const changed: Document | null = convertMembers(plan, version, conversions, new Map())
      if (changed === null) return []
      const update = { $set: changedPaths(version, changed, 'version.') }
      return [{ updateOne: { filter: { _id }, update } }]
    })
    if (updates.length === 0) continue
    await fence((session) =>
      trashedVersionsIn(database).bulkWrite(updates, { ...UNHURRIED, session }),
    )
  }
}

/** Yields the deleted versions of a content-type in batches. */
export async function* scanTrash(
  database: Database,
  { uid }: Pick<ContentTypePlan, 'uid'>,
): AsyncGenerator<readonly TrashedVersion[]> {
  for (let after = ''; ;) {
    const page = { projection: { _id: 1 }, batchSize: BATCH + 1, limit: BATCH, ...UNHURRIED }
    const deletions = await deletionsIn(database)
      .find({ type: uid, _id: { $gt: after } }, page)
      .sort({ _id: 1 })
      .toArray()
    const last = deletions.at(-1)
    if (last === undefined) return
    const deletion = { $in: deletions.map(({ _id }) => _id) }
    yield await trashedVersionsIn(database).find({ deletion }, UNHURRIED).toArray()
    after = last._id
  }
}
