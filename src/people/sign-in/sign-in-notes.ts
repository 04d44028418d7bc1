import { currentAuthorship, writingAs } from '../../mongo/connection/authorship.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database } from '../../mongo/connection/database.ts'

/** The id of an account that does not exist. The input is not stored, because some people type their password there. */
const UNKNOWN = 'unknown'

/** An account in the commit log. */
interface SignedInAccount {
  readonly kind: 'user' | 'administrator'
  readonly id: string
  readonly name: string | null
}

/** Logs a session with its account as the author. */
export async function noteSession(db: Database, type: string, by: SignedInAccount): Promise<void> {
  const { requestId } = currentAuthorship()
  await writingAs({ by, requestId }, () => noteAccount(db, 'put', type, by.id))
}

/** Logs an event of an account, or of an unknown one for null. */
export function noteAccount(
  db: Database,
  op: 'put' | 'delete',
  type: string,
  id: string | null,
): Promise<void> {
  return db.transact((session) => {
    noteRow(session, op, { type, documentId: id ?? UNKNOWN })
    return Promise.resolve()
  })
}
