import { currentAuthorship, writingAs } from '../../mongo/connection/authorship.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database } from '../../mongo/connection/database.ts'

/** The input is not stored, because some people type their password there. */
const UNKNOWN = 'unknown'

interface SignedInAccount {
  readonly kind: 'user' | 'administrator'
  readonly id: string
  readonly name: string | null
}

export async function noteSession(db: Database, type: string, by: SignedInAccount): Promise<void> {
  const { requestId } = currentAuthorship()
  await writingAs({ by, requestId }, () => noteAccount(db, 'put', type, by.id))
}

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
