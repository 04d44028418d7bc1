import { type ClaimedJob, type JobQueue, newJob, openJobQueue } from '../../mongo/jobs/job-queue.ts'
import { type Lane, openRunner } from '../../mongo/jobs/runner.ts'
import type { CommitLog } from '../../mongo/commits/commit-log.ts'
import type { Head } from '../../mongo/commits/heads.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureRow } from '../../mongo/system/system-collections.ts'
import { followLog } from '../follow-log.ts'
import { changedTags } from './changed-tags.ts'
import { examinePurges, type PurgeHealth } from './purge-health.ts'
import { PURGE_ROW, type PurgeRow, PURGES } from './purge-row.ts'
import { type PurgeTarget, sendPurge } from './send-purge.ts'
import type { Schema } from '../../schema/plan.ts'

export interface PurgerOptions {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly commitLog: Pick<CommitLog, 'head' | 'onHead'>
  readonly purge: PurgeTarget | null
  readonly staleMs: number
  readonly now: () => Date
  readonly onBackgroundError: (error: unknown) => void
}

export interface Purger {
  readonly health: (() => Promise<PurgeHealth>) | null
  close(): Promise<void>
}

/** Longer than one attempt takes when some caches do not respond. */
const LEASE_MS = 120_000
const SETTLE_MS = 1_000
const RETRY_MS = { least: 1_000, most: 60_000 } as const

/** Starts the purges. Processes with different purge settings must not share a database. */
export async function openPurger({ purge: target, ...rest }: PurgerOptions): Promise<Purger> {
  return target === null
    ? { health: null, close: () => Promise.resolve() }
    : begin({ ...rest, target })
}

type Purging = Omit<PurgerOptions, 'purge'> & { readonly target: PurgeTarget }

async function begin(options: Purging): Promise<Purger> {
  const { database, commitLog, now, onBackgroundError } = options
  const queue = await openJobQueue<PurgeRow>({
    database,
    collection: PURGES,
    leaseMs: LEASE_MS,
    now,
  })
  const { log, seq } = commitLog.head()
  const rest = { log, cursor: seq, target: null, failures: 0 }
  await ensureRow(database.table<PurgeRow>(PURGES), {
    _id: PURGE_ROW,
    ...newJob(now()),
    ...rest,
  })
  const lane = laneOf(options, queue, () => follower.wake())
  const runner = openRunner({ lanes: [lane], onError: onBackgroundError })
  const follower = followLog({
    commitLog,
    step: async (head) => {
      await schedule(options, head)
      return false
    },
    onError: onBackgroundError,
  })
  return {
    health: () => examinePurges(database, now()),
    close: async () => {
      await follower.close()
      await runner.close()
    },
  }
}

function laneOf(options: Purging, queue: JobQueue<PurgeRow>, onPurged: () => void): Lane {
  return {
    atOnce: 1,
    next: async () => {
      const row = await queue.claim({ target: { $ne: null } })
      if (row === null) return null
      return async () => {
        await purge(options, queue, row)
        onPurged()
      }
    },
  }
}

/** The delay ensures that no process still serves the previous content. */
async function schedule({ database, now, staleMs }: Purging, { log, seq }: Head): Promise<void> {
  const rows = database.table<PurgeRow>(PURGES)
  const row = await rows.findOne({ _id: PURGE_ROW, target: null })
  if (row === null || (row.log === log && row.cursor >= seq)) return
  const dueAt = new Date(now().getTime() + staleMs + SETTLE_MS)
  // The changes since are unknown if the log was replaced or this process has a stale head.
  const cursor = row.log === log ? row.cursor : -1
  const seen = { _id: PURGE_ROW, target: null, log: row.log, cursor: row.cursor }
  await rows.updateOne(seen, { $set: { log, cursor, target: seq, dueAt } })
}

/** Delivers at least once: the cursor moves after the caches have confirmed. */
async function purge(
  { database, schema, target, now }: Purging,
  queue: JobQueue<PurgeRow>,
  row: ClaimedJob<PurgeRow>,
): Promise<void> {
  const to = row.target ?? row.cursor
  try {
    const tags = await changedTags({ database, schema }, row.cursor, to)
    if (tags.length > 0) await sendPurge(target, tags)
  } catch (error) {
    const failures = row.failures + 1
    const wait = Math.min(RETRY_MS.least * 2 ** row.failures, RETRY_MS.most)
    const dueAt = new Date(now().getTime() + wait * (0.75 + Math.random() / 2))
    await queue.settle(row, { kind: 'later', dueAt, set: { failures } })
    throw error
  }
  const set = { cursor: to, target: null, failures: 0 }
  await queue.settle(row, { kind: 'later', dueAt: now(), set })
}
