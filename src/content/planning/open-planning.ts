import { type JobQueue, openJobQueue } from '../../mongo/jobs/job-queue.ts'
import { type Lane, openRunner } from '../../mongo/jobs/runner.ts'
import { openTrashSweep, type TrashSweepOptions } from '../../mongo/trash/sweep-trash.ts'
import type { PlanningContext } from './planning.ts'
import { ensureReleases } from './release-rows.ts'
import { runSchedule } from './run-schedule.ts'
import { ensureSchedules, type ScheduleRow, SCHEDULES } from './schedule-rows.ts'

export interface PlanningOptions extends PlanningContext {
  readonly trash: { readonly sweep: TrashSweepOptions['sweepFiles'] }
  readonly onBackgroundError: (error: unknown) => void
}

export interface Planning extends PlanningContext {
  close(): Promise<void>
}

/** Each poll finds the schedules that become due before the next one. */
const LOOK_MS = 500
/** After this time, another process takes over a job of a killed or stalled process. Only one of them takes effect. */
const LEASES_MS = { document: 1_000, release: 1_500 } as const
const CONCURRENCY = { document: 4, release: 1 } as const

export async function openPlanning(options: PlanningOptions): Promise<Planning> {
  const { onBackgroundError, trash, ...context } = options
  const { database } = context.documents
  await ensureSchedules(database)
  await ensureReleases(database)
  const documents = await queueOf(context, 'document')
  const releases = await queueOf(context, 'release')
  const runner = openRunner({
    lanes: [laneOf(context, 'document', documents), laneOf(context, 'release', releases)],
    soon: (leastMs) => documents.nextWithin(LOOK_MS, {}, leastMs), // for both kinds, because they share the collection
    onError: onBackgroundError,
    lookMs: LOOK_MS,
  })
  runner.wake()
  const sweep = openTrashSweep({
    database,
    contentTypes: context.schema.contentTypes,
    sweepFiles: trash.sweep,
    now: context.now,
    onBackgroundError,
  })
  return {
    ...context,
    close: async () => {
      await sweep.close()
      await runner.close()
    },
  }
}

function queueOf(
  { documents, now }: PlanningContext,
  kind: ScheduleRow['kind'],
): Promise<JobQueue<ScheduleRow>> {
  const { database } = documents
  return openJobQueue({ database, collection: SCHEDULES, leaseMs: LEASES_MS[kind], now })
}

function laneOf(
  context: PlanningContext,
  kind: ScheduleRow['kind'],
  queue: JobQueue<ScheduleRow>,
): Lane {
  return {
    atOnce: CONCURRENCY[kind],
    next: async () => {
      const job = await queue.claim({ kind })
      return job === null ? null : () => queue.hold(job, () => runSchedule(context, queue, job))
    },
  }
}
