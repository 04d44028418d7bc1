import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { DocumentContext } from '../context.ts'

/** What the log calls the files that declare content: under the uid of what is declared. */
const DECLARATION_TYPE = 'admin::declaration'

/** Somebody has changed declarations, or removed those that are null. */
export function noteDeclarations(
  { database }: Pick<DocumentContext, 'database'>,
  changes: ReadonlyMap<string, object | null>,
): Promise<void> {
  return database.transact((session) => {
    for (const [documentId, declared] of changes) {
      noteRow(session, declared === null ? 'delete' : 'put', { type: DECLARATION_TYPE, documentId })
    }
    return Promise.resolve()
  })
}
