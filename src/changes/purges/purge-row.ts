import type { JobRow } from '../../mongo/jobs/job-queue.ts'

export interface PurgeRow extends JobRow {
  readonly log: string
  readonly cursor: number
  readonly target: number | null
  readonly failures: number
}

export const PURGES = 'quire_purges'
export const PURGE_ROW = 'main'
