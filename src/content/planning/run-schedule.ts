import { administratorAction } from '../../people/access/administrator-actions.ts'
import { assertMayIn } from '../../people/access/permissions.ts'
import { CmsError } from '../../base/errors.ts'
import { type ClaimedJob, type JobQueue, LeaseLost } from '../../jobs/job-queue.ts'
import { writingAs } from '../../mongo/connection/authorship.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import type { PlannedFailure } from './planned-action.ts'
import { type PlanningContext, principalNow, publishablePlan } from './planning.ts'
import { assertFaultless, holdingItems, publishScheduled } from './publish-release.ts'
import { assertMayAct, runAction } from './run-action.ts'
import type { ScheduleRow } from './schedule-rows.ts'

/** Afterwards the schedule fails. */
const RETRIES_MS: readonly number[] = [
  1_000, 5_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000,
]

/**
 * Deletes the row in the same transaction. Temporary errors are retried. After other errors the row
 * is kept with the failure.
 */
export async function runSchedule(
  context: PlanningContext,
  queue: JobQueue<ScheduleRow>,
  job: ClaimedJob<ScheduleRow>,
): Promise<void> {
  try {
    await writingAs({ by: job.by, requestId: `schedule:${job._id}` }, () =>
      perform(context, queue, job),
    )
  } catch (error) {
    if (error instanceof LeaseLost) return
    await keepFailure(context, queue, job, error)
  }
}

async function perform(
  context: PlanningContext,
  queue: JobQueue<ScheduleRow>,
  job: ClaimedJob<ScheduleRow>,
): Promise<void> {
  const principal = await principalNow(context, job.by)
  if (job.kind === 'release') {
    assertMayIn(principal, administratorAction('admin::releases', 'publish'), [])
    await assertFaultless(context, principal, job._id)
  }
  const effect = async (session: Session): Promise<void> => {
    if (job.kind === 'release') {
      await publishScheduled(context, principal, job._id, session)
      return
    }
    const { action, type, documentId, locales, asked } = job
    const plan = publishablePlan(context, type)
    const on = { action, plan, documentId, locales: { kind: asked, locales } }
    assertMayAct(principal, on)
    await runAction(context, principal, on, session)
  }
  const finish = (): Promise<void> => retryCollisions(() => queue.finish(job, effect))
  await (job.kind === 'release' ? holdingItems(context, job._id, finish) : finish())
}

async function keepFailure(
  { now }: PlanningContext,
  queue: JobQueue<ScheduleRow>,
  job: ClaimedJob<ScheduleRow>,
  error: unknown,
): Promise<void> {
  const at = now()
  const failure = failureOf(error, at)
  const retryMs = isLasting(error) ? undefined : RETRIES_MS[job.attempts - 1]
  try {
    await queue.settle(
      job,
      retryMs === undefined
        ? { kind: 'done', set: { failure } }
        : { kind: 'later', dueAt: new Date(at.getTime() + retryMs), set: { failure } },
    )
  } catch (lost) {
    if (!(lost instanceof LeaseLost)) throw lost // already completed, cancelled, or claimed by another process
  }
  if (!(error instanceof CmsError)) throw error // a bug: rethrow for the log
}

/** A retry does not help if a request would be rejected for the same reason. */
function isLasting(error: unknown): boolean {
  return error instanceof CmsError && error.status < 500
}

function failureOf(error: unknown, at: Date): PlannedFailure {
  if (!(error instanceof CmsError)) {
    const message = 'Internal error: see the log of the server'
    return { name: 'InternalServerError', code: 'internal_error', message, details: {}, at }
  }
  const { name, errorCode: code, message, codedDetails: details } = error
  return { name, code, message, details: details ?? {}, at }
}
