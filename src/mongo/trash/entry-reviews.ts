import type { Database } from '../connection/database.ts'
import { REVIEW_ROWS } from '../versions/version-fields.ts'
import { ensureIndexes } from '../system/system-collections.ts'
import type { Table } from '../connection/table.ts'

export interface ReviewRow {
  /** From `reviewId`. */
  readonly _id: string
  readonly type: string
  readonly documentId: string
  readonly locale: string
  /** The name of a stage, perhaps of one that the declaration has no longer. */
  readonly stage: string
  /** The revision of the draft when it entered the stage. */
  readonly revision: string
  /** The id of an administrator. */
  readonly assignee: string | null
  /** The administrator who changed the row last. */
  readonly by: string
  readonly at: Date
}

export type ReviewedLine = Pick<ReviewRow, 'type' | 'documentId' | 'locale'>

export function reviewsIn(database: Database): Table<ReviewRow> {
  return database.table<ReviewRow>(REVIEW_ROWS)
}

export function reviewId({ type, documentId, locale }: ReviewedLine): string {
  return `${type} ${documentId} ${locale}`
}

export async function ensureReviews(database: Database): Promise<void> {
  await ensureIndexes(reviewsIn(database), [
    { key: { type: 1, documentId: 1 }, name: 'entry' },
    { key: { assignee: 1, at: -1 }, name: 'assignee' },
  ])
}
