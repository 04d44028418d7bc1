import { type JobRow } from '../../jobs/job-queue.ts'
import type { Author } from '../../mongo/connection/authorship.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { PlannedAction, PlannedFailure } from './planned-action.ts'

export const SCHEDULES = 'quire_schedules'

/** What the log calls them: under the id and the locales of the document. */
export const SCHEDULE_TYPE = 'admin::schedule'

/** What all rows have: done at a time, in the name of who asked for it. */
interface PlannedRow extends JobRow {
  /** As it was asked for; `dueAt` moves when it is tried again. */
  readonly at: Date
  readonly by: Author
  readonly createdAt: Date
  /** Of the last attempt; null before there was one that failed. */
  readonly failure: PlannedFailure | null
}

/** An action on one document. */
export interface DocumentSchedule extends PlannedRow {
  readonly kind: 'document'
  readonly action: PlannedAction
  readonly type: string
  readonly documentId: string
  /** As the query of the action named them. */
  readonly locales: readonly string[]
  readonly asked: 'one' | 'several' | 'every'
}

/** All that a release holds by then. Its `_id` is that of the release: it has one time at most. */
export interface ReleaseSchedule extends PlannedRow {
  readonly kind: 'release'
}

export type ScheduleRow = DocumentSchedule | ReleaseSchedule

export function schedulesIn(database: Database) {
  return database.collection<ScheduleRow>(SCHEDULES)
}

export async function ensureSchedules(database: Database): Promise<void> {
  await ensureIndexes(schedulesIn(database), [
    { key: { type: 1, documentId: 1 }, name: 'document' },
    { key: { at: 1, _id: 1 }, name: 'at' },
  ])
}
