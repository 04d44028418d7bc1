import type { Logger } from 'pino'
import { DEFAULT_JOB_TIMEOUT_MS } from '../../extensions/extension-job.ts'
import type { ExtensionRegistry } from '../../extensions/extension-registry.ts'
import { openJobQueue } from '../../mongo/jobs/job-queue.ts'
import { openRunner } from '../../mongo/jobs/runner.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureJobRow, EXTENSION_JOBS, type ExtensionJobRow, jobIdOf } from './job-rows.ts'
import { runJob } from './run-job.ts'

export interface ExtensionJobs {
  close(): Promise<void>
}

export interface ExtensionJobsOptions {
  readonly database: Database
  readonly extensions: Pick<ExtensionRegistry, 'jobs' | 'host'>
  readonly log: Logger
  readonly now: () => Date
  /** After a kill, another process notices the lost run after this time. */
  readonly leaseMs?: number
}

const LEASE_MS = 15_000
const LOOK_MS = 1_000
const CONCURRENCY = 4

/** The deadline ends a run before the lease does. */
const HELD_LONGER_MS = 60_000

export async function openExtensionJobs({
  database,
  extensions: { jobs, host },
  log,
  now,
  leaseMs = LEASE_MS,
}: ExtensionJobsOptions): Promise<ExtensionJobs> {
  if (jobs.length === 0) return { close: () => Promise.resolve() }
  const options = { database, collection: EXTENSION_JOBS, leaseMs, now }
  const queue = await openJobQueue<ExtensionJobRow>(options)
  for (const job of jobs) await ensureJobRow(database, job, now())
  const byId = new Map(jobs.map((job) => [jobIdOf(job), job]))
  // During a rolling start, other processes may have another schedule.
  const conditions = {
    $or: jobs.map((one) => {
      const { cron, timeZone = 'UTC' } = one.job
      return { _id: jobIdOf(one), cron, timeZone }
    }),
  }
  const stopping = new AbortController()
  const parts = { queue, host, log, now, stopping: stopping.signal }
  const lane = {
    atOnce: CONCURRENCY,
    next: async () => {
      const row = await queue.claim({ $and: [conditions] })
      const job = row === null ? undefined : byId.get(row._id)
      if (row === null || job === undefined) return null
      const { timeoutMs = DEFAULT_JOB_TIMEOUT_MS } = job.job
      return () => queue.hold(row, () => runJob(parts, job, row), timeoutMs + HELD_LONGER_MS)
    },
  }
  const onError = (err: unknown): void => log.warn({ err }, 'Jobs of extensions failed')
  const soon = (leastMs: number) => queue.nextWithin(LOOK_MS, { $and: [conditions] }, leastMs)
  const runner = openRunner({ lanes: [lane], soon, onError, lookMs: LOOK_MS })
  runner.wake()
  return {
    close: async () => {
      stopping.abort(new Error('The server stopped'))
      await runner.close()
    },
  }
}
