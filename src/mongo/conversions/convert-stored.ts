import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { BULK_TIMEOUT_MS } from '../read/get-versions.ts'
import { forgetReservations } from '../indexes/sync-reservations.ts'
import { findStoredCollections } from '../indexes/stored-collections.ts'
import { readLedger, replaceLedger } from '../system/schema-ledger.ts'
import { withLease } from '../system/lease.ts'
import { STATE_FIELD, STATE_UNKNOWN } from '../versions/version-fields.ts'
import { type VersionDocument, versionsOf } from '../versions/stored-version.ts'
import { openProgress, type Progress, type ProgressLog } from './conversion-progress.ts'
import { changedPaths } from './changed-paths.ts'
import { type Conversions, convertMembers, type Tallies } from '../versions/convert-row.ts'
import { convertTrash } from './convert-trash.ts'
import { findPending, withoutPending } from './pending-conversions.ts'
import { reachedNames } from './reached-types.ts'
import { scanRows } from './scan-rows.ts'

interface Converting {
  readonly database: Database
  readonly schema: Schema
  readonly log: ProgressLog
  /** Called before the first batch. @throws Error if another release is running */
  readonly assertAlone: () => Promise<void>
}

/** A version that another writer changes is read again this often. */
const ATTEMPTS = 5

/**
 * Converts the values of attributes with a new type. One process at a time does it, and others wait. A process that
 * starts after a kill continues at the last batch.
 */
export async function convertStored(converting: Converting): Promise<void> {
  const { database, schema } = converting
  if (findPending(await readLedger(database), schema).size === 0) return
  await converting.assertAlone()
  await withLease(database, 'convert', () => convertAll(converting), Infinity)
}

async function convertAll(converting: Converting): Promise<void> {
  const { database, schema, log } = converting
  const ledger = await readLedger(database)
  const conversions = findPending(ledger, schema)
  if (conversions.size === 0) return
  const pending = { conversions, version: ledger.version }
  const progress = await openProgress(database, pending, log)
  const stored = await findStoredCollections(database)
  const reached = [...schema.contentTypes.values()].filter(
    (plan) => reachedNames(plan, conversions).length > 0,
  )
  for (const plan of reached) {
    if (progress.row().done.includes(plan.uid)) continue
    if (stored.has(plan.collectionName)) await convertType(database, plan, conversions, progress)
    await convertTrash(database, plan, conversions)
    await progress.finishType(plan.uid)
  }
  // Equal numbers of another type have another reservation.
  await forgetReservations(database, reached)
  await finish(database, schema, conversions)
  await progress.finish()
  const { rows, rewritten } = progress.row()
  log({ rows, rewritten }, 'Stored content was converted')
}

async function finish(database: Database, schema: Schema, conversions: Conversions): Promise<void> {
  for (;;) {
    const ledger = await readLedger(database)
    if (await replaceLedger(database, ledger, withoutPending(ledger, schema, conversions))) return
  }
}

async function convertType(
  database: Database,
  plan: ContentTypePlan,
  conversions: Conversions,
  progress: Progress,
): Promise<void> {
  const { type, after } = progress.row()
  const names = reachedNames(plan, conversions)
  for await (const rows of scanRows(database, plan, names, type === plan.uid ? after : '')) {
    const rewritten = await convertBatch(database, plan, conversions, rows)
    const last = rows.at(-1)?._id ?? ''
    await progress.noteBatch({ type: plan.uid, after: last, read: rows.length, rewritten })
  }
}

/** Returns the number of rewritten versions. Another writer is an exception: a command, or a process without beats. */
async function convertBatch(
  database: Database,
  plan: ContentTypePlan,
  conversions: Conversions,
  batch: readonly VersionDocument[],
): Promise<number> {
  const versions = versionsOf(database, plan)
  let rows = batch
  let rewritten = 0
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const updates = rows.flatMap((row) => {
      const tallies: Tallies = new Map()
      const changed = convertMembers(plan, row, conversions, tallies)
      if (changed === null) return []
      const isLost = [...tallies.values()].some(({ lost }) => lost > 0)
      const states = isLost && plan.draftAndPublish && database.hasTransactions
      const update = {
        $set: changedPaths(row, changed),
        // Values that differed may be equal now.
        ...(states && { $max: { [STATE_FIELD]: STATE_UNKNOWN } }),
      }
      const filter = { _id: row._id, _revision: (row['_revision'] ?? null) as string }
      return [{ updateOne: { filter, update } }]
    })
    if (updates.length === 0) return rewritten
    const options = { ordered: false, maxTimeMS: BULK_TIMEOUT_MS }
    const { matchedCount } = await versions.bulkWrite(updates, options)
    rewritten += matchedCount
    if (matchedCount === updates.length) return rewritten
    const _id = { $in: updates.map(({ updateOne }) => updateOne.filter._id) }
    const again = { batchSize: updates.length + 1, maxTimeMS: BULK_TIMEOUT_MS }
    rows = await versions.find({ _id }, again).toArray()
  }
  throw new Error(`versions of ${plan.uid} change too often to be converted`)
}
