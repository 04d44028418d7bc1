import { createHash } from 'node:crypto'
import { mapConcurrently } from '../../base/map-concurrently.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { BULK_TIMEOUT_MS } from '../read/get-versions.ts'
import { withLease } from '../system/lease.ts'
import {
  STATE_CHANGED,
  STATE_SAME,
  STATE_FIELD,
  STATE_UNKNOWN,
} from '../versions/version-fields.ts'
import type { StoredCollections } from './stored-collections.ts'
import { storedContent } from '../versions/stored-content.ts'
import { versionsOf } from '../versions/stored-version.ts'

interface StatesRow {
  readonly _id: 'states'
  readonly compared: Readonly<Record<string, string>>
}

const CONCURRENCY = 4

/** Stores no states if the database has no transactions. */
export async function syncStates(
  database: Database,
  plans: readonly ContentTypePlan[],
  stored: StoredCollections | null = null,
): Promise<void> {
  const wanted = database.hasTransactions
    ? plans.filter(({ draftAndPublish }) => draftAndPublish)
    : []
  const isSettled = (row: StatesRow | null): boolean =>
    Object.keys(row?.compared ?? {}).length === wanted.length &&
    wanted.every((plan) => row?.compared[plan.collectionName] === digestOf(plan))
  if (isSettled(await readRow(database))) return
  await withLease(database, 'states', async () => {
    const row = await readRow(database)
    if (isSettled(row)) return
    const changed = wanted.filter(
      (plan) =>
        row?.compared[plan.collectionName] !== digestOf(plan) &&
        stored?.has(plan.collectionName) !== false,
    )
    await mapConcurrently(changed, CONCURRENCY, (plan) => forgetStates(database, plan))
    const compared = Object.fromEntries(wanted.map((plan) => [plan.collectionName, digestOf(plan)]))
    await rowsIn(database).updateOne({ _id: 'states' }, { $set: { compared } }, { upsert: true })
  })
}

async function forgetStates(database: Database, plan: ContentTypePlan): Promise<void> {
  await versionsOf(database, plan).updateMany(
    { [STATE_FIELD]: { $in: [STATE_SAME, STATE_CHANGED] } },
    { $set: { [STATE_FIELD]: STATE_UNKNOWN } },
    { maxTimeMS: BULK_TIMEOUT_MS },
  )
}

function digestOf(plan: ContentTypePlan): string {
  return createHash('sha256')
    .update(JSON.stringify(storedContent(plan)))
    .digest('hex')
}

function rowsIn(database: Database) {
  return database.table<StatesRow>('quire_settings')
}

function readRow(database: Database): Promise<StatesRow | null> {
  return rowsIn(database).findOne({ _id: 'states' })
}
