import { type CommentRow, commentsIn } from '../../mongo/trash/entry-comments.ts'
import type { Database } from '../../mongo/connection/database.ts'

interface WrittenEntry {
  readonly uid: string
  readonly documentId: string
  readonly locale: string
}

const MAX_READ = 100

/** The newest first, including comments on hidden entries. */
export function findInbox(
  database: Database,
  administrator: string,
  entries: readonly WrittenEntry[],
): Promise<readonly CommentRow[]> {
  const places = entries.map(({ uid: type, documentId, locale }) => ({ type, documentId, locale }))
  return commentsIn(database)
    .find(
      {
        $or: [{ mentions: administrator }, ...places],
        'by.id': { $ne: administrator },
        resolved: null,
      },
      { batchSize: MAX_READ + 1 },
    )
    .sort({ createdAt: -1, _id: 1 })
    .limit(MAX_READ)
    .toArray()
}
