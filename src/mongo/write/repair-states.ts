import type { ContentTypePlan } from '../../schema/plan.ts'
import { COMMITS, type PendingRow } from '../connection/commit-record.ts'
import type { CommitItem, Database } from '../connection/database.ts'
import { BULK_TIMEOUT_MS } from '../read/get-versions.ts'
import {
  STATE_CHANGED,
  STATE_FIELD,
  STATE_SAME,
  STATE_UNKNOWN,
} from '../versions/version-fields.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { versionId } from '../versions/version-match.ts'

/** Checked again by the next repair, because a commit can appear long after its id was created. */
const MARGIN_MS = 15 * 60_000
const BATCH = 100

interface RepairRow {
  readonly _id: 'repaired-states'
  /** All commits before this time are checked. */
  readonly until: Date
}

/** Resets the states that an earlier server version left behind. Returns whether states must be settled. */
export async function repairStates(
  database: Database,
  plans: readonly ContentTypePlan[],
  now = new Date(),
): Promise<boolean> {
  const rows = database.table<RepairRow>('quire_settings')
  const row = await rows.findOne({ _id: 'repaired-states' })
  const margin = new Date(now.getTime() - MARGIN_MS)
  const found = await forgetStatesSince(database, plans, row?.until ?? margin)
  const until = row !== null && row.until > margin ? row.until : margin
  await rows.updateOne({ _id: 'repaired-states' }, { $set: { until } }, { upsert: true })
  return found
}

async function forgetStatesSince(
  database: Database,
  plans: readonly ContentTypePlan[],
  since: Date,
): Promise<boolean> {
  const byUid = new Map(plans.map((plan) => [plan.uid, plan]))
  let after = since.getTime().toString(16).padStart(12, '0')
  for (let isFound = false; ; isFound = true) {
    const commits = await findUnmarked(database, after)
    const items = commits.flatMap((commit) => commit.items)
    for (const plan of byUid.values()) {
      const own = items.filter(({ type }) => type === plan.uid)
      if (own.length > 0) await forgetStatesOf(database, plan, own)
    }
    after = commits.at(-1)?._id ?? after
    if (commits.length < BATCH) return isFound || items.some(({ type }) => byUid.has(type))
  }
}

function findUnmarked(
  database: Database,
  after: string,
): Promise<readonly Pick<PendingRow, '_id' | 'items'>[]> {
  return database
    .table<PendingRow>(COMMITS)
    .find(
      { _id: { $gt: after }, items: { $exists: true }, states: { $exists: false } },
      { projection: { items: 1 }, maxTimeMS: BULK_TIMEOUT_MS, batchSize: BATCH + 1 },
    )
    .sort({ _id: 1 })
    .limit(BATCH)
    .toArray()
}

async function forgetStatesOf(
  database: Database,
  plan: ContentTypePlan,
  items: readonly CommitItem[],
): Promise<void> {
  const ids = items.flatMap(({ documentId, locale }) =>
    (['draft', 'published'] as const).map((status) => versionId(documentId, { locale, status })),
  )
  await versionsOf(database, plan).updateMany(
    { _id: { $in: ids }, [STATE_FIELD]: { $in: [STATE_SAME, STATE_CHANGED] } },
    { $set: { [STATE_FIELD]: STATE_UNKNOWN } },
    { maxTimeMS: BULK_TIMEOUT_MS },
  )
}
