import type { JobRow } from '../jobs/job-queue.ts'

/** How far the caches have been told, for all processes; there is one. */
export interface PurgeRow extends JobRow {
  readonly log: string
  readonly cursor: number
  /** What is purged once it is due: all up to this commit. */
  readonly target: number | null
  readonly failures: number
}

export const PURGES = 'quire_purges'
export const PURGE_ROW = 'main'
