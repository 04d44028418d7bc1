import type { Database } from '../connection/database.ts'
import { ensureIndexes } from '../system/system-collections.ts'
import type { Table } from '../connection/table.ts'

export interface Commenter {
  readonly id: string
  /** At the time of the comment. Removed administrators have no other name. */
  readonly name: string
}

export interface CommentRow {
  readonly _id: string
  readonly type: string
  readonly documentId: string
  readonly locale: string
  /** A stored name, so that a later rename is right for it. Null for the whole entry. */
  readonly attribute: string | null
  readonly text: string
  readonly by: Commenter
  /** Ids of administrators. */
  readonly mentions: readonly string[]
  readonly createdAt: Date
  readonly editedAt: Date | null
  readonly resolved: { readonly by: Commenter; readonly at: Date } | null
}

export const COMMENT_ROWS = 'quire_comments'

export function commentsIn(database: Database): Table<CommentRow> {
  return database.table<CommentRow>(COMMENT_ROWS)
}

export async function ensureComments(database: Database): Promise<void> {
  await ensureIndexes(commentsIn(database), [
    { key: { type: 1, documentId: 1, locale: 1 }, name: 'entry' },
    { key: { mentions: 1, createdAt: -1 }, name: 'mentions' },
  ])
}
