import { type JobRow } from '../../mongo/jobs/job-queue.ts'
import type { Author } from '../../mongo/connection/authorship.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { PlannedAction, PlannedFailure } from './planned-action.ts'

export const SCHEDULES = 'quire_schedules'

/** Records have the documentId and the locales of the document. */
export const SCHEDULE_TYPE = 'admin::schedule'

interface PlannedRow extends JobRow {
  /** The requested time. `dueAt` is later after a failed attempt. */
  readonly at: Date
  readonly by: Author
  readonly createdAt: Date
  readonly failure: PlannedFailure | null
}

export interface DocumentSchedule extends PlannedRow {
  readonly kind: 'document'
  readonly action: PlannedAction
  readonly type: string
  readonly documentId: string
  readonly locales: readonly string[]
  readonly asked: 'one' | 'several' | 'every'
}

/** `_id` is the id of the release, so each release has at most one schedule. */
export interface ReleaseSchedule extends PlannedRow {
  readonly kind: 'release'
}

export type ScheduleRow = DocumentSchedule | ReleaseSchedule

export function schedulesIn(database: Database) {
  return database.table<ScheduleRow>(SCHEDULES)
}

export async function ensureSchedules(database: Database): Promise<void> {
  await ensureIndexes(schedulesIn(database), [
    { key: { type: 1, documentId: 1 }, name: 'document' },
    { key: { at: 1, _id: 1 }, name: 'at' },
  ])
}
