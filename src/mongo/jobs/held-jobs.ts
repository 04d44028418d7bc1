import type { Database } from '../connection/database.ts'

/** The id is the lease token. */
interface HeldRow {
  readonly _id: string
  readonly until: Date
}

const COLLECTION = 'quire_held_jobs'

/** Default duration of an attempt. If a job hangs longer, another process takes over. */
const MAX_HELD_MS = 600_000

const MAX_HELD_JOBS = 1_000

/** A lease that ends later than this multiple of `leaseMs` was written by a process with a wrong clock. */
const MAX_PLAUSIBLE = 10

export function latestBelieved(at: Date, leaseMs: number): Date {
  return new Date(at.getTime() + MAX_PLAUSIBLE * leaseMs)
}

export interface HeldJobsOptions {
  readonly database: Database
  readonly leaseMs: number
  readonly now: () => Date
}

/** Stored apart from the job rows, because a renewal would conflict with the transaction that deletes the row. */
export interface HeldJobs {
  /** Work shorter than a third of the lease causes no write. The default of `maxMs` is 10 minutes. */
  hold<R>(lease: string, work: () => Promise<R>, maxMs?: number): Promise<R>
  alive(): Promise<readonly string[]>
  /** Removes the lease of a dead process. */
  forget(lease: string): Promise<void>
}

export function openHeldJobs({ database, leaseMs, now }: HeldJobsOptions): HeldJobs {
  const rows = database.table<HeldRow>(COLLECTION)
  const forget = async (lease: string): Promise<void> => {
    await rows.deleteOne({ _id: lease })
  }
  const beat = async (_id: string): Promise<void> => {
    const until = new Date(now().getTime() + leaseMs)
    await rows.updateOne({ _id }, { $set: { until } }, { upsert: true })
  }
  return {
    forget,
    alive: () => {
      const at = now()
      const until = { $gt: at, $lte: latestBelieved(at, leaseMs) }
      return rows
        .find({ until }, { batchSize: MAX_HELD_JOBS + 1 })
        .limit(MAX_HELD_JOBS)
        .map(({ _id }) => _id)
        .toArray()
    },
    hold: async (lease, work, maxMs = MAX_HELD_MS) => {
      const beats = beatEvery({ everyMs: leaseMs / 3, maxMs }, () => beat(lease))
      try {
        return await work()
      } finally {
        // If the deletion fails, the lease expires soon.
        if (await beats.stop()) await forget(lease).catch(() => undefined)
      }
    },
  }
}

/** One call at a time. `stop` returns whether `beat` was called. */
function beatEvery(
  { everyMs, maxMs }: { readonly everyMs: number; readonly maxMs: number },
  beat: () => Promise<void>,
): { readonly stop: () => Promise<boolean> } {
  const until = performance.now() + maxMs
  let last: Promise<void> | null = null
  let isBeating = false
  const timer = setInterval(() => {
    if (isBeating || performance.now() > until) return
    isBeating = true
    last = beat()
      .catch(() => undefined) // the next beat may succeed; otherwise another process takes the job
      .then(() => {
        isBeating = false
      })
  }, everyMs)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await last
      return last !== null
    },
  }
}
