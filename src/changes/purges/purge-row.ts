import type { JobRow } from '../../jobs/job-queue.ts'

/** The shared progress of all processes, in a single row. `cursor` is the last purged commit. */
export interface PurgeRow extends JobRow {
  readonly log: string
  readonly cursor: number
  /** The next purge covers all commits up to this one. */
  readonly target: number | null
  readonly failures: number
}

export const PURGES = 'quire_purges'
export const PURGE_ROW = 'main'
