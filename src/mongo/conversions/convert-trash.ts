import { BSON, type Document } from 'mongodb'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { BULK_TIMEOUT_MS } from '../read/get-versions.ts'
import { deletionsIn, type TrashedVersion, trashedVersionsIn } from '../trash/trash-rows.ts'
import { changedPaths } from './changed-paths.ts'
import { type Conversions, convertMembers } from '../versions/convert-row.ts'
import type { Fence } from './run-row.ts'

const BATCH = 100

/** The database holds all rows of a transaction in memory. A deletion may have many versions, and large ones. */
const MAX_ROWS = 100
const MAX_BYTES = 16 * 1024 * 1024

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

/** Yields the deleted versions of a content-type in batches of at most 100 rows and 16 MB. */
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
    yield* scanVersions(database, { $in: deletions.map(({ _id }) => _id) })
    after = last._id
  }
}

async function* scanVersions(
  database: Database,
  deletion: { readonly $in: readonly string[] },
): AsyncGenerator<readonly TrashedVersion[]> {
  const versions = trashedVersionsIn(database)
  const found = await versions
    .find({ deletion }, { projection: { _id: 1 }, ...UNHURRIED })
    .toArray()
  let left = found.map(({ _id }) => _id)
  while (left.length > 0) {
    const $in = left.slice(0, MAX_ROWS)
    const rows: TrashedVersion[] = []
    let bytes = 0
    await versions.find({ _id: { $in } }, UNHURRIED).take((row) => {
      bytes += BSON.calculateObjectSize(row)
      if (rows.length === 0 || bytes <= MAX_BYTES) rows.push(row)
      return bytes <= MAX_BYTES
    })
    if (rows.length > 0) yield rows
    // Rows that were not found are deleted.
    const taken = new Set(bytes > MAX_BYTES ? rows.map(({ _id }) => _id) : $in)
    left = left.filter((id) => !taken.has(id))
  }
}
