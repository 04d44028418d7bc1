import type { Schema } from '../../schema/plan.ts'
import { removeLostNotes } from './lost-notes.ts'
import type { Database } from '../connection/database.ts'
import { tryLease } from '../system/lease.ts'
import { deletionsIn, TRASHED_FILE, trashedVersionsIn } from './trash-rows.ts'

const DAY_MS = 86_400_000
const SWEEP_INTERVAL_MS = 600_000
const BATCH = 200

export interface TrashSweepOptions {
  readonly database: Database
  readonly contentTypes: Schema['contentTypes']
  /** Ends deletions of files that are older than the given time, and their bytes. */
  readonly sweepFiles: (before: Date) => Promise<unknown>
  readonly now: () => Date
  readonly onBackgroundError: (error: unknown) => void
  readonly everyMs?: number
}

export interface TrashSweep {
  close(): Promise<void>
}

/** Purges expired trash (`TRASH_DAYS`) periodically until `close`. One process at a time does so. */
export function openTrashSweep(options: TrashSweepOptions): TrashSweep {
  const { now, onBackgroundError, everyMs = SWEEP_INTERVAL_MS } = options
  let sweeping: Promise<void> = Promise.resolve()
  const sweep = async (): Promise<void> => {
    await tryLease(options.database, 'trash', everyMs / 2, async () => {
      const { trashDays } = options.database
      const before = new Date(now().getTime() - trashDays * DAY_MS)
      await sweepTrash(options, before)
      await options.sweepFiles(before)
    })
  }
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep).catch(onBackgroundError)
  }, everyMs)
  timer.unref()
  return {
    close: async () => {
      clearInterval(timer)
      await sweeping
    },
  }
}

/** The row goes last, so that the next sweep can resume. */
type Swept = Pick<TrashSweepOptions, 'database' | 'contentTypes'>

export async function sweepTrash(swept: Swept, before: Date): Promise<number> {
  for (let ended = 0; ;) {
    const found = await endSome(swept, before)
    ended += found
    if (found < BATCH) return ended
  }
}

async function endSome({ database, contentTypes }: Swept, before: Date): Promise<number> {
  const old = await deletionsIn(database)
    .find(
      { at: { $lt: before }, type: { $ne: TRASHED_FILE } },
      { projection: { type: 1, documentId: 1 } },
    )
    .sort({ at: 1 })
    .limit(BATCH)
    .toArray()
  const ids = old.map(({ _id }) => _id)
  if (ids.length === 0) return 0
  await trashedVersionsIn(database).deleteMany({ deletion: { $in: ids } })
  for (const type of new Set(old.map((row) => row.type))) {
    const plan = contentTypes.get(type)
    const own = old.filter((row) => row.type === type).map(({ documentId }) => documentId)
    if (plan !== undefined) await removeLostNotes(database, plan, own, { ended: ids })
  }
  await deletionsIn(database).deleteMany({ _id: { $in: ids } })
  return ids.length
}
