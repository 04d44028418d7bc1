import type { RegisteredJob } from '../../extensions/extension-registry.ts'
import { nextRunOf } from '../../extensions/job-schedule.ts'
import { type JobRow, newJob } from '../../mongo/jobs/job-queue.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureRow } from '../../mongo/system/system-collections.ts'

export const EXTENSION_JOBS = 'quire_extension_jobs'

export interface ExtensionJobRow extends JobRow {
  readonly cron: string
  readonly timeZone: string
  readonly last?: {
    readonly at: Date
    readonly endedAt: Date
    readonly error: string | null
  }
  /** The last times at which no process ran the job. */
  readonly missed?: { readonly count: number; readonly latest: Date; readonly caughtUp: boolean }
}

export function jobIdOf({ extension, job }: RegisteredJob): string {
  return `${extension}/${job.name}`
}

export async function ensureJobRow(
  database: Database,
  registered: RegisteredJob,
  now: Date,
): Promise<void> {
  const { job } = registered
  const _id = jobIdOf(registered)
  const { cron, timeZone = 'UTC' } = job
  const rows = database.table<ExtensionJobRow>(EXTENSION_JOBS)
  const dueAt = nextRunOf(job, now)
  await ensureRow(rows, { _id, ...newJob(dueAt), cron, timeZone })
  await rows.updateOne(
    { _id, $or: [{ cron: { $ne: cron } }, { timeZone: { $ne: timeZone } }] },
    { $set: { cron, timeZone, dueAt } },
  )
}
