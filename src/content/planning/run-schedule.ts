import { administratorAction } from '../../people/access/administrator-actions.ts'
import { assertMayIn } from '../../people/access/permissions.ts'
import { CmsError } from '../../base/errors.ts'
import { isRefusal } from '../../base/is-refusal.ts'
import { type ClaimedJob, type JobQueue, LeaseLost } from '../../mongo/jobs/job-queue.ts'
import type { Principal } from '../../people/access/principal.ts'
import { retryChanged, type SeenVersions } from '../hooks/seen-versions.ts'
import { hookAction } from '../write/publish-document.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { retryCollisions } from '../../mongo/write/write-path.ts'
import type { PlannedFailure } from './planned-action.ts'
import { type PlanningContext, principalNow, publishablePlan } from './planning.ts'
import { assertFaultless, holdingItems, hookItems, publishScheduled } from './publish-release.ts'
import { actionLocales, type ActionOn, assertMayAct, runAction } from './run-action.ts'
import type { DocumentSchedule, ScheduleRow } from './schedule-rows.ts'

const RETRIES_MS: readonly number[] = [
  1_000, 5_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000,
]

/** Deletes the row in the same transaction. Retries temporary errors. After others, the row keeps the failure. */
export async function runSchedule(
  context: PlanningContext,
  queue: JobQueue<ScheduleRow>,
  job: ClaimedJob<ScheduleRow>,
): Promise<void> {
  try {
    await perform(context, queue, job)
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
  const work =
    job.kind === 'release'
      ? () => releaseScheduled(context, queue, job, principal)
      : () => actScheduled(context, queue, job, principal)
  await retryChanged(work)
}

async function releaseScheduled(
  context: PlanningContext,
  queue: JobQueue<ScheduleRow>,
  job: ClaimedJob<ScheduleRow>,
  principal: Principal,
): Promise<void> {
  const { _id: id } = job
  assertMayIn(principal, administratorAction('admin::releases', 'publish'), [])
  await assertFaultless(context, principal, id)
  const origin = originOfJob(job)
  const seen = await hookItems(context, principal, { id, origin })
  const effect = (session: Session): Promise<void> =>
    publishScheduled(context, principal, { id, seen }, session)
  await holdingItems(context, id, () => retryCollisions(() => queue.finish(job, effect, origin)))
}

async function actScheduled(
  context: PlanningContext,
  queue: JobQueue<ScheduleRow>,
  job: ClaimedJob<ScheduleRow> & DocumentSchedule,
  principal: Principal,
): Promise<void> {
  const isHooked = context.documents.hooks?.isEmpty === false
  const seen = isHooked ? await hookScheduled(context, job, principal) : null
  const effect = (session: Session): Promise<void> => {
    const on = permittedAction(context, job, principal)
    return runAction(context, principal, { ...on, ...(seen !== null && { seen }) }, session)
  }
  await retryCollisions(() => queue.finish(job, effect, originOfJob(job)))
}

async function hookScheduled(
  context: PlanningContext,
  job: DocumentSchedule,
  principal: Principal,
): Promise<SeenVersions | null> {
  const on = permittedAction(context, job, principal)
  const locales = await actionLocales(context, principal, on)
  return hookAction(context.documents, on.action, { ...on, locales, origin: originOfJob(job) })
}

function originOfJob({ _id, by }: ScheduleRow): WriteOrigin {
  return { authorship: { by, requestId: `schedule:${_id}` }, caller: null }
}

function permittedAction(
  context: PlanningContext,
  { action, type, documentId, locales, asked }: DocumentSchedule,
  principal: Principal,
): ActionOn {
  const plan = publishablePlan(context, type)
  const on = { action, plan, documentId, locales: { kind: asked, locales } }
  assertMayAct(principal, on)
  return on
}

async function keepFailure(
  { now }: PlanningContext,
  queue: JobQueue<ScheduleRow>,
  job: ClaimedJob<ScheduleRow>,
  error: unknown,
): Promise<void> {
  const at = now()
  const failure = failureOf(error, at)
  // A refused publication would be refused again.
  const retryMs = isRefusal(error) ? undefined : RETRIES_MS[job.attempts - 1]
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

function failureOf(error: unknown, at: Date): PlannedFailure {
  if (!(error instanceof CmsError)) {
    const message = 'Internal error: see the log of the server'
    return { name: 'InternalServerError', code: 'internal_error', message, details: {}, at }
  }
  const { name, errorCode: code, message, codedDetails: details } = error
  return { name, code, message, details: details ?? {}, at }
}
