import type { Ledger } from '../../schema/ledger/ledger.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { BULK_TIMEOUT_MS } from '../read/get-versions.ts'
import { forgetReservations } from '../indexes/sync-reservations.ts'
import { findStoredCollections } from '../indexes/stored-collections.ts'
import { readLedger, replaceLedger } from '../system/schema-ledger.ts'
import { withLease } from '../system/lease.ts'
import { STATE_FIELD, STATE_UNKNOWN } from '../versions/version-fields.ts'
import { type VersionDocument, versionsOf } from '../versions/stored-version.ts'
import {
  openProgress,
  type Progress,
  type ProgressLog,
  takeConversion,
} from './conversion-progress.ts'
import { changedPaths } from './changed-paths.ts'
import { type Conversions, convertMembers, type Tallies } from '../versions/convert-row.ts'
import { convertTrash } from './convert-trash.ts'
import { areTypesOf, findPending, withoutPending } from './pending-conversions.ts'
import { reachedNames } from './reached-types.ts'
import { type Fence, fenceOf, takenOver } from './run-row.ts'
import { scanRows } from './scan-rows.ts'

interface Converting {
  readonly database: Database
  readonly schema: Schema
  /** The ledger with the types of `schema`. */
  readonly entered: Ledger
  readonly log: ProgressLog
  /** Called before the first batch. @throws Error if another release is running */
  readonly assertAlone: () => Promise<void>
}

/** The database holds all versions of a transaction in memory, however large they are. */
const MAX_TOGETHER = 100

/** A version that another writer changes is read again this often. */
const ATTEMPTS = 5

/**
 * Converts the values of attributes with a new type. One process at a time does it, and others wait. A process that
 * starts after a kill continues at the last batch.
 * @throws ConfigError if another process has taken over, or another release has changed the types
 */
export async function convertStored(converting: Converting): Promise<void> {
  const { database, schema } = converting
  if (findPending(await readLedger(database), schema).size === 0) return
  await converting.assertAlone()
  await withLease(database, 'convert', () => convertAll(converting), Infinity)
}

async function convertAll(converting: Converting): Promise<void> {
  const { database, schema, log } = converting
  if (findPending(await readLedger(database), schema).size === 0) return
  const run = await takeConversion(database)
  const fence = fenceOf(database, run)
  // Read after the run is taken, because another release takes the run after it has changed the ledger.
  const ledger = await readTypes(converting)
  const conversions = findPending(ledger, schema)
  const pending = { conversions, version: ledger.version }
  const progress = await openProgress(database, run, pending, log)
  const stored = await findStoredCollections(database)
  const reached = [...schema.contentTypes.values()].filter(
    (plan) => reachedNames(plan, conversions).length > 0,
  )
  for (const plan of reached) {
    if (progress.row().done.includes(plan.uid)) continue
    const work = { database, plan, conversions, fence }
    if (stored.has(plan.collectionName)) await convertType(work, progress)
    await convertTrash(database, plan, conversions, fence)
    await progress.finishType(plan.uid)
  }
  // Equal numbers of another type have another reservation.
  await fence((session) => forgetReservations(database, reached, session))
  await finish(converting, conversions, fence)
  await progress.finish()
  const { rows, rewritten } = progress.row()
  log({ rows, rewritten }, 'Stored content was converted')
}

async function readTypes({ database, entered }: Converting): Promise<Ledger> {
  const ledger = await readLedger(database)
  if (!areTypesOf(entered, ledger)) throw takenOver()
  return ledger
}

async function finish(
  converting: Converting,
  conversions: Conversions,
  fence: Fence,
): Promise<void> {
  const { database, schema } = converting
  for (;;) {
    const ledger = await readTypes(converting)
    const after = withoutPending(ledger, schema, conversions)
    if (await fence((session) => replaceLedger(database, ledger, after, session))) return
  }
}

interface TypeWork {
  readonly database: Database
  readonly plan: ContentTypePlan
  readonly conversions: Conversions
  readonly fence: Fence
}

async function convertType(work: TypeWork, progress: Progress): Promise<void> {
  const { database, plan, conversions } = work
  const { type, after } = progress.row()
  const names = reachedNames(plan, conversions)
  for await (const rows of scanRows(database, plan, names, type === plan.uid ? after : '')) {
    const rewritten = await convertBatch(work, rows)
    const last = rows.at(-1)?._id ?? ''
    await progress.noteBatch({ type: plan.uid, after: last, read: rows.length, rewritten })
  }
}

/** Returns the number of rewritten versions. Another writer is an exception: a command, or a process without beats. */
async function convertBatch(
  { database, plan, conversions, fence }: TypeWork,
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
    let matched = 0
    for (let start = 0; start < updates.length; start += MAX_TOGETHER) {
      const part = updates.slice(start, start + MAX_TOGETHER)
      const { matchedCount } = await fence((session) =>
        versions.bulkWrite(part, { ...options, session }),
      )
      matched += matchedCount
    }
    rewritten += matched
    if (matched === updates.length) return rewritten
    const _id = { $in: updates.map(({ updateOne }) => updateOne.filter._id) }
    const again = { batchSize: updates.length + 1, maxTimeMS: BULK_TIMEOUT_MS }
    rows = await versions.find({ _id }, again).toArray()
  }
  throw new Error(`versions of ${plan.uid} change too often to be converted`)
}
