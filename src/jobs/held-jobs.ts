import { asCmsErrors } from '../mongo/connection/database-error.ts'
import type { Database } from '../mongo/connection/database.ts'

/** The lease of a running job: its id is the token. */
interface HeldRow {
  readonly _id: string
  readonly until: Date
}

const COLLECTION = 'quire_held_jobs'

/** No attempt takes so long: what hangs is left to another. */
const MAX_HELD_MS = 600_000

/** Who looks need not know more of them: as many pieces of work are not under way at once. */
const MAX_HELD_JOBS = 1_000

/** A lease that ends so many times later than one can was written by a clock that was wrong. */
const BELIEVED = 10

/** Until when a lease may last for others to leave its job alone. */
export function latestBelieved(at: Date, leaseMs: number): Date {
  return new Date(at.getTime() + BELIEVED * leaseMs)
}

export interface HeldJobsOptions {
  readonly database: Database
  readonly leaseMs: number
  readonly now: () => Date
}

/**
 * Leases that are prolonged while their work goes on. They stand beside the rows of the jobs: the transaction that removes
 * such a row would be in conflict with whatever else writes it.
 */
export interface HeldJobs {
  /** Does the work, and says all that time that the lease is in use. Work that is shorter than a third of it writes nothing. */
  hold<R>(lease: string, work: () => Promise<R>): Promise<R>
  /** The leases of those who live. */
  alive(): Promise<readonly string[]>
  /** Removes the lease of a process that died. */
  forget(lease: string): Promise<void>
}

export function openHeldJobs({ database, leaseMs, now }: HeldJobsOptions): HeldJobs {
  const rows = database.collection<HeldRow>(COLLECTION)
  const bounded = { maxTimeMS: database.queryTimeoutMs }
  const forget = async (lease: string): Promise<void> => {
    await asCmsErrors(() => rows.deleteOne({ _id: lease }, bounded))
  }
  const beat = async (_id: string): Promise<void> => {
    const until = new Date(now().getTime() + leaseMs)
    await rows.updateOne({ _id }, { $set: { until } }, { ...bounded, upsert: true })
  }
  return {
    forget,
    alive: () => {
      const at = now()
      const until = { $gt: at, $lte: latestBelieved(at, leaseMs) }
      return asCmsErrors(() =>
        rows
          .find({ until }, { ...bounded, batchSize: MAX_HELD_JOBS + 1 })
          .limit(MAX_HELD_JOBS)
          .map(({ _id }) => _id)
          .toArray(),
      )
    },
    hold: async (lease, work) => {
      const beats = beatEvery(leaseMs / 3, () => beat(lease))
      try {
        return await work()
      } finally {
        // What cannot be taken away is over in a moment anyway.
        if (await beats.stop()) await forget(lease).catch(() => undefined)
      }
    },
  }
}

/** Beats until it is stopped, one at a time; `stop` answers whether there was any. */
function beatEvery(
  everyMs: number,
  beat: () => Promise<void>,
): { readonly stop: () => Promise<boolean> } {
  const until = performance.now() + MAX_HELD_MS
  let last: Promise<void> | null = null
  let isBeating = false
  const timer = setInterval(() => {
    if (isBeating || performance.now() > until) return
    isBeating = true
    last = beat()
      .catch(() => undefined) // the next one may go well; else the job is another's
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
