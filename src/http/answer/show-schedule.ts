import type { PlannedAction, PlannedFailure } from '../../content/planning/planned-action.ts'
import type { ScheduleRow } from '../../content/planning/schedule-rows.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

export interface ScheduleResponse {
  readonly id: string
  readonly kind: ScheduleRow['kind']
  readonly action?: PlannedAction
  readonly uid?: string
  readonly documentId?: string
  readonly locales?: readonly string[]
  readonly at: Date
  readonly state: 'waiting' | 'failed'
  readonly attempts: number
  readonly nextAttemptAt: Date | null
  readonly failure: PlannedFailure | null
  readonly by: ScheduleRow['by']
}

export function showSchedule(row: ScheduleRow): ScheduleResponse {
  const { _id: id, kind, at, by, failure, attempts, open, dueAt } = row
  const isWaiting = open === 1
  const of = row.kind === 'document' ? documentOf(row) : {}
  return {
    id,
    kind,
    ...of,
    at,
    state: isWaiting ? 'waiting' : 'failed',
    attempts,
    nextAttemptAt: isWaiting && failure !== null ? dueAt : null,
    failure,
    by,
  }
}

function documentOf(row: Extract<ScheduleRow, { readonly kind: 'document' }>) {
  const { action, type: uid, documentId, locales } = row
  const isLocalized = !locales.includes(NO_LOCALE)
  return { action, uid, documentId, ...(isLocalized && { locales }) }
}
