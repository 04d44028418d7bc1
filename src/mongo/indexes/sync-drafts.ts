import { mapConcurrently } from '../../base/map-concurrently.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { BULK_TIMEOUT_MS } from '../read/get-versions.ts'
import type { IdAllocator } from '../system/id-allocator.ts'
import { withLease } from '../system/lease.ts'
import { asVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { versionId } from '../versions/version-match.ts'
import type { StoredCollections } from './stored-collections.ts'
import { addVersions } from '../write/add-versions.ts'
import { putVersion } from '../write/write-versions.ts'

interface DraftsRow {
  readonly _id: 'drafts'
  readonly collections: readonly string[]
  readonly endedAt: Readonly<Record<string, Date>>
}

const BATCH = 500
const CONCURRENCY = 4

/** Creates missing drafts after draft & publish was enabled, and replaces outdated ones. Idempotent and resumable. */
export async function syncDrafts(
  database: Database,
  ids: IdAllocator,
  plans: readonly ContentTypePlan[],
  { now, stored = null }: { readonly now: () => Date; readonly stored?: StoredCollections | null },
): Promise<number> {
  const wanted = plans.filter(({ draftAndPublish }) => draftAndPublish)
  const names = wanted.map(({ collectionName }) => collectionName)
  if (isSettled(await readRow(database), names)) return 0
  return withLease(database, 'drafts', async () => {
    const row = await readRow(database)
    if (isSettled(row, names)) return 0
    const { collections: known = [], endedAt: ended = {} } = row ?? {}
    const added = wanted.filter(({ collectionName }) => !known.includes(collectionName))
    const filled = added.filter(({ collectionName }) => stored?.has(collectionName) !== false)
    const made = await mapConcurrently(filled, CONCURRENCY, (plan) =>
      makeDrafts({ database, ids }, plan, ended[plan.collectionName] ?? null),
    )
    const stopped = known.filter((name) => !names.includes(name)).map((name) => [name, now()])
    const endedAt = Object.fromEntries([
      ...Object.entries(ended).filter(([name]) => !names.includes(name)),
      ...stopped,
    ]) as Record<string, Date>
    await rowsIn(database).updateOne(
      { _id: 'drafts' },
      { $set: { collections: names, endedAt } },
      { upsert: true },
    )
    return made.reduce((sum, count) => sum + count, 0)
  })
}

interface Stores {
  readonly database: Database
  readonly ids: IdAllocator
}

async function makeDrafts(
  { database, ids }: Stores,
  plan: ContentTypePlan,
  endedAt: Date | null,
): Promise<number> {
  const options = { maxTimeMS: BULK_TIMEOUT_MS }
  let made = 0
  for (let last = ''; ;) {
    const found = await versionsOf(database, plan)
      .find({ _id: { $gt: last }, status: 'published' }, options)
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray()
    if (found.length === 0) return made
    const published = found.map((row) => asVersion(plan, row))
    const stored = await versionsOf(database, plan)
      .find({ _id: { $in: published.map(draftId) } }, { ...options, projection: { _id: 1 } })
      .toArray()
    const known = new Set(stored.map(({ _id }) => _id))
    const wanted = published.filter(
      (version) =>
        !known.has(draftId(version)) || (endedAt !== null && version.updatedAt >= endedAt),
    )
    const numbers = await ids.take(plan.collectionName, wanted.length)
    const drafts = wanted.map((version, index) => draftOf(version, numbers[index] ?? 0))
    const isNew = (draft: StoredVersion): boolean => !known.has(draftId(draft))
    await addVersions(database, plan, drafts.filter(isNew))
    for (const draft of drafts.filter((each) => !isNew(each))) {
      await database.transact((session) => putVersion(database, plan, draft, session))
    }
    made += drafts.length
    if (found.length < BATCH) return made
    last = found.at(-1)?._id ?? last
  }
}

/** The id only applies if the draft does not exist yet. */
function draftOf(published: StoredVersion, id: number): StoredVersion {
  const { _id, ...version } = published
  const { documentId } = published
  return { ...version, documentId, id, status: 'draft', publishedAt: null }
}

function draftId({ documentId, locale }: StoredVersion): string {
  return versionId(documentId, { locale, status: 'draft' })
}

function rowsIn(database: Database) {
  return database.table<DraftsRow>('quire_settings')
}

function readRow(database: Database): Promise<DraftsRow | null> {
  return rowsIn(database).findOne({ _id: 'drafts' })
}

function isSettled(row: DraftsRow | null, names: readonly string[]): boolean {
  const { collections = [] } = row ?? {}
  return (
    row !== null &&
    collections.length === names.length &&
    names.every((name) => collections.includes(name))
  )
}
