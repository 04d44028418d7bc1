import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { DocumentContext } from '../context.ts'

const DECLARATION_TYPE = 'admin::declaration'

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
