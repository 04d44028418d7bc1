import type { Database } from '../connection/database.ts'
import { tryLease } from '../system/lease.ts'
import { deletionsIn, trashedVersionsIn } from './trash-rows.ts'

const DAY_MS = 86_400_000
const SWEEP_INTERVAL_MS = 600_000
const BATCH = 200

export interface TrashSweepOptions {
  readonly database: Database
  readonly now: () => Date
  readonly onBackgroundError: (error: unknown) => void
  readonly everyMs?: number
}

export interface TrashSweep {
  close(): Promise<void>
}

/** Purges expired trash (`TRASH_DAYS`) periodically until `close`. One process at a time does so. */
export function openTrashSweep(options: TrashSweepOptions): TrashSweep {
  const { database, now, onBackgroundError, everyMs = SWEEP_INTERVAL_MS } = options
  let sweeping: Promise<void> = Promise.resolve()
  const sweep = async (): Promise<void> => {
    await tryLease(database, 'trash', everyMs / 2, async () => {
      await sweepTrash(database, new Date(now().getTime() - database.trashDays * DAY_MS))
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
export async function sweepTrash(database: Database, before: Date): Promise<number> {
  for (let ended = 0; ;) {
    const found = await endSome(database, before)
    ended += found
    if (found < BATCH) return ended
  }
}

async function endSome(database: Database, before: Date): Promise<number> {
  const old = await deletionsIn(database)
    .find({ at: { $lt: before } }, { projection: { _id: 1 } })
    .sort({ at: 1 })
    .limit(BATCH)
    .toArray()
  const ids = old.map(({ _id }) => _id)
  if (ids.length === 0) return 0
  await trashedVersionsIn(database).deleteMany({ deletion: { $in: ids } })
  await deletionsIn(database).deleteMany({ _id: { $in: ids } })
  return ids.length
}
