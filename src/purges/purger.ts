import { type Claimed, type JobQueue, newJob, openJobQueue } from '../jobs/job-queue.ts'
import { type Lane, openRunner } from '../jobs/runner.ts'
import type { CommitLog } from '../mongo/commits/commit-log.ts'
import type { Head } from '../mongo/commits/heads.ts'
import type { Database } from '../mongo/connection/database.ts'
import { ensureRow } from '../mongo/system/system-collections.ts'
import { changedTypes } from './changed-types.ts'
import { examinePurges, type PurgeHealth } from './purge-health.ts'
import { PURGE_ROW, type PurgeRow, PURGES } from './purge-row.ts'
import { type PurgeTarget, sendPurge } from './send-purge.ts'
import type { Schema } from '../schema/plan.ts'

export interface PurgerOptions {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly commitLog: Pick<CommitLog, 'head' | 'onHead'>
  /** Null: there are none. */
  readonly purge: PurgeTarget | null
  /** How long other processes may answer with what was before: `CACHE_STALE_MS`. */
  readonly staleMs: number
  readonly now: () => Date
  readonly onBackgroundError: (error: unknown) => void
}

/** Purges changed content from caches in front, whichever process committed it. */
export interface Purger {
  /** Null where no caches are configured. */
  readonly health: (() => Promise<PurgeHealth>) | null
  close(): Promise<void>
}

/** Longer than one attempt takes, of some caches that do not answer. */
const LEASE_MS = 120_000
/** A read that was under way has ended by then. */
const SETTLE_MS = 1_000
const AGAIN_MS = { least: 1_000, most: 60_000 } as const

/** Begins to purge, until `close`. Processes with other settings of what to purge must not share a database. */
export async function openPurger({ purge: target, ...rest }: PurgerOptions): Promise<Purger> {
  return target === null
    ? { health: null, close: () => Promise.resolve() }
    : begin({ ...rest, target })
}

type Purging = Omit<PurgerOptions, 'purge'> & { readonly target: PurgeTarget }

async function begin(options: Purging): Promise<Purger> {
  const { database, commitLog, now } = options
  const queue = await openJobQueue<PurgeRow>({
    database,
    collection: PURGES,
    leaseMs: LEASE_MS,
    now,
  })
  const { log, seq } = commitLog.head()
  const rest = { log, cursor: seq, target: null, failures: 0 }
  await ensureRow(database.collection<PurgeRow>(PURGES), {
    _id: PURGE_ROW,
    ...newJob(now()),
    ...rest,
  })
  const runner = openRunner({ lanes: [laneOf(options, queue)], onError: options.onBackgroundError })
  const forget = commitLog.onHead(() => runner.wake())
  return {
    health: () => examinePurges(database, now()),
    close: async () => {
      forget()
      await runner.close()
    },
  }
}

function laneOf(options: Purging, queue: JobQueue<PurgeRow>): Lane {
  return {
    atOnce: 1,
    next: async () => {
      const head = options.commitLog.head()
      const behind = [
        { target: { $ne: null } },
        { cursor: { $lt: head.seq } },
        { log: { $ne: head.log } },
      ]
      const row = await queue.claim({ $and: [{ $or: behind }] })
      if (row === null) return null
      return () =>
        row.target === null ? aim(options, queue, row, head) : purge(options, queue, row)
    },
  }
}

/** What has been committed is purged a little later: nobody answers with what was before by then. */
function aim(
  { now, staleMs }: Purging,
  queue: JobQueue<PurgeRow>,
  row: Claimed<PurgeRow>,
  { log, seq }: Head,
): Promise<void> {
  const dueAt = new Date(now().getTime() + staleMs + SETTLE_MS)
  // Of another log, or behind what this process has seen: nothing says what has changed since.
  const cursor = row.log === log && row.cursor <= seq ? row.cursor : -1
  return queue.settle(row, { kind: 'later', dueAt, set: { log, cursor, target: seq } })
}

/** Once at least: how far it is moves when the caches have said so. */
async function purge(
  { database, schema, target, now }: Purging,
  queue: JobQueue<PurgeRow>,
  row: Claimed<PurgeRow>,
): Promise<void> {
  const to = row.target ?? row.cursor
  try {
    const tags = await changedTypes({ database, schema }, row.cursor, to)
    if (tags.length > 0) await sendPurge(target, tags)
  } catch (error) {
    const failures = row.failures + 1
    const wait = Math.min(AGAIN_MS.least * 2 ** row.failures, AGAIN_MS.most)
    const dueAt = new Date(now().getTime() + wait * (0.75 + Math.random() / 2))
    await queue.settle(row, { kind: 'later', dueAt, set: { failures } })
    throw error
  }
  const set = { cursor: to, target: null, failures: 0 }
  await queue.settle(row, { kind: 'later', dueAt: now(), set })
}
