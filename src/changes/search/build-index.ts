import { readSyncedAfter, type SyncedVersion } from '../../mongo/read/read-synced.ts'
import { projectionOf } from '../../mongo/search/fresh-drafts.ts'
import { type SearchTypeRow, searchTypesOf } from '../../mongo/search/index-progress.ts'
import { ensureRow } from '../../mongo/system/system-collections.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Indexing } from './search-writer.ts'

/** Versions per step of a build. A killed process repeats at most one step. */
const BATCH = 200

/** Indexes the next versions of a type whose rows do not fit its declaration. Returns whether more are left. */
export async function buildStep(indexing: Indexing, plan: ContentTypePlan): Promise<boolean> {
  const { database, defaultLocale, writer } = indexing
  const form = writer.formOf(plan, defaultLocale)
  const types = searchTypesOf(database)
  const row = await typeRow(indexing, plan, form)
  if (row.form === form && row.after === null) return false
  const after = row.form === form ? (row.after ?? '') : ''
  const since = after === '' ? indexing.seq : row.since
  // A build that was started again meanwhile keeps its start.
  const seen = { _id: plan.uid, form: row.form, after: row.after }
  if (after === '') await writer.startBuild(indexing, plan)
  const versions = await readBatch(indexing, plan, after)
  await writer.put(indexing, plan, versions)
  const last = versions.at(-1)
  if (last !== undefined && versions.length === BATCH) {
    await types.updateOne(seen, { $set: { form, since, after: last._id } })
    return true
  }
  await writer.finishBuild(indexing, plan, since)
  await types.updateOne(seen, { $set: { form, after: null } })
  return false
}

async function typeRow(
  { database, seq }: Indexing,
  { uid }: ContentTypePlan,
  form: string,
): Promise<SearchTypeRow> {
  const types = searchTypesOf(database)
  const fresh: SearchTypeRow = { _id: uid, form, after: '', since: seq }
  const row = await types.findOne({ _id: uid })
  if (row !== null) return row
  await ensureRow(types, fresh)
  return (await types.findOne({ _id: uid })) ?? fresh
}

async function readBatch(
  { database }: Indexing,
  plan: ContentTypePlan,
  after: string,
): Promise<readonly SyncedVersion[]> {
  const versions: SyncedVersion[] = []
  const moment = { database: database.majority, session: undefined }
  const read = { selection: null, filter: null, condition: null, projection: projectionOf(plan) }
  const range = { after, limit: BATCH }
  await readSyncedAfter(moment, plan, read, range, (version) => versions.push(version) > 0)
  return versions
}

/** Starts the builds of these types again. Until a build ends, searches use the rows that exist. */
export async function restartBuilds(
  database: Indexing['database'],
  uids: readonly string[],
): Promise<void> {
  await searchTypesOf(database).updateMany({ _id: { $in: [...uids] } }, { $set: { after: '' } })
}
