import { Cron } from 'croner'
import type { ExtensionJob } from './extension-job.ts'

type Timed = Pick<ExtensionJob, 'cron' | 'timeZone'>

const NEVER = new Date(8.64e15)
const MAX_COUNTED = 1_000

export function explainSchedule(job: Timed): string | null {
  try {
    return openCron(job).nextRun() === null ? 'matches no time in the future' : null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The first time after `after`. */
export function nextRunOf(job: Timed, after: Date): Date {
  return openCron(job).nextRun(after) ?? NEVER
}

export interface MissedRuns {
  readonly count: number
  readonly latest: Date
}

/** Counts the times from `planned` to `now`, both included. */
export function missedRuns(job: Timed, planned: Date, now: Date): MissedRuns {
  const cron = openCron(job)
  let latest = planned
  let count = 1
  while (count < MAX_COUNTED) {
    const next = cron.nextRun(latest)
    if (next === null || next > now) break
    latest = next
    count += 1
  }
  return { count, latest }
}

function openCron({ cron, timeZone = 'UTC' }: Timed): Cron {
  return new Cron(cron, { paused: true, timezone: timeZone, mode: '5-part' })
}
