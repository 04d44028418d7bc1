import type { Logger } from 'pino'
import { guardContent } from '../../content/hooks/run-hooks.ts'
import { DEFAULT_JOB_TIMEOUT_MS } from '../../extensions/extension-job.ts'
import type { ExtensionHost } from '../../extensions/extension-host.ts'
import type { RegisteredJob } from '../../extensions/extension-registry.ts'
import { missedRuns, nextRunOf } from '../../extensions/job-schedule.ts'
import { type ClaimedJob, type JobQueue, LeaseLost } from '../../mongo/jobs/job-queue.ts'
import type { ExtensionJobRow } from './job-rows.ts'
import { extensionLog } from './extension-log.ts'

export interface JobParts {
  readonly queue: JobQueue<ExtensionJobRow>
  readonly host: ExtensionHost
  readonly log: Logger
  readonly now: () => Date
  readonly stopping: AbortSignal
}

/** A job that starts later has missed its time: all processes were down. */
const LATE_MS = 60_000

const GRACE_MS = 2_000

const MAX_ERROR_LENGTH = 500

export async function runJob(
  parts: JobParts,
  registered: RegisteredJob,
  row: ClaimedJob<ExtensionJobRow>,
): Promise<void> {
  const { extension, job } = registered
  const begun = parts.now()
  const runs = missedRuns(job, row.dueAt, begun)
  const isLate = begun.getTime() - row.dueAt.getTime() > LATE_MS
  const wasInterrupted = row.attempts > 1
  const { catchUp = false } = job
  if (isLate || wasInterrupted) {
    const problem = wasInterrupted ? 'was interrupted' : `missed ${runs.count} of its times`
    const effect = catchUp ? 'it runs once now' : 'it runs at its next time'
    parts.log.warn({ extension, job: job.name }, `The job ${problem}; ${effect}`)
    const missed = { count: runs.count, latest: runs.latest, caughtUp: catchUp }
    if (!catchUp) return settle(parts, registered, row, { missed })
    await attempt(parts, registered, row, { at: runs.latest, missed })
  } else await attempt(parts, registered, row, { at: row.dueAt })
}

interface Attempt extends Pick<ExtensionJobRow, 'missed'> {
  readonly at: Date
}

async function attempt(
  parts: JobParts,
  registered: RegisteredJob,
  row: ClaimedJob<ExtensionJobRow>,
  { at, ...set }: Attempt,
): Promise<void> {
  const { extension, job } = registered
  const error = await callJob(parts, registered, at)
  if (error !== null) parts.log.error({ extension, job: job.name, err: error }, 'A job failed')
  if (parts.stopping.aborted && error !== null && job.catchUp === true) {
    // Another process, or this one after its restart, runs it again.
    return release(parts, row)
  }
  const text = error === null ? null : textOf(error).slice(0, MAX_ERROR_LENGTH)
  const last = { at, endedAt: parts.now(), error: text }
  await settle(parts, registered, row, { ...set, last })
}

async function callJob(parts: JobParts, { extension, job }: RegisteredJob, at: Date) {
  const deadline = new AbortController()
  const { timeoutMs = DEFAULT_JOB_TIMEOUT_MS } = job
  const timer = setTimeout(() => {
    deadline.abort(new Error(`The job did not finish within ${timeoutMs} ms`))
  }, timeoutMs)
  const signal = AbortSignal.any([deadline.signal, parts.stopping])
  try {
    const content = guardContent(parts.host.content({ extension, depth: 1 }), {
      signal,
      dryRun: false,
    })
    const log = extensionLog(parts.log, extension)
    await Promise.race([job.run({ content, log, at, signal }), endAfter(signal)])
    return null
  } catch (error) {
    return error
  } finally {
    clearTimeout(timer)
  }
}

function endAfter(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => {
      setTimeout(() => reject(reasonOf(signal)), GRACE_MS).unref()
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('The job was aborted')
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function settle(
  { queue, log, now }: JobParts,
  { extension, job }: RegisteredJob,
  row: ClaimedJob<ExtensionJobRow>,
  set: Pick<ExtensionJobRow, 'last' | 'missed'>,
): Promise<void> {
  const dueAt = nextRunOf(job, now())
  try {
    await queue.settle(row, { kind: 'later', dueAt, set: { ...set, attempts: 0 } })
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    log.warn({ extension, job: job.name }, 'Another process has taken over the job')
  }
}

async function release({ queue }: JobParts, row: ClaimedJob<ExtensionJobRow>): Promise<void> {
  await queue.settle(row, { kind: 'later', dueAt: row.dueAt })
}
