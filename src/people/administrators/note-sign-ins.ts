import { currentAuthorship, writingAs } from '../../mongo/connection/authorship.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { AdministratorRow } from './rows.ts'

/** Types in the commit log. A session is put at sign-in and deleted at sign-out. */
const SESSION_TYPE = 'admin::session'
const FAILED_TYPE = 'admin::failed-sign-in'
const LINK_TYPE = 'admin::password-link'

/**
 * Id of a failed sign-in with an unknown address. The input is not recorded, because it may be a
 * password.
 */
const UNKNOWN = 'unknown'

type NamedAdministrator = Pick<AdministratorRow, '_id' | 'name'>

/**
 * Call it before the session starts, so that no session is missing in the audit. The author is the
 * administrator.
 */
export async function noteSignIn(
  db: Database,
  { _id: id, name }: NamedAdministrator,
): Promise<void> {
  const { requestId } = currentAuthorship()
  const by = { kind: 'administrator', id, name }
  await writingAs({ by, requestId }, () => note(db, 'put', SESSION_TYPE, id))
}

/** For the current device or another one. */
export function noteSignOut(db: Database, administrator: string): Promise<void> {
  return note(db, 'delete', SESSION_TYPE, administrator)
}

/** Null for an unknown address or link. */
export function noteFailedSignIn(db: Database, administrator: string | null): Promise<void> {
  return note(db, 'put', FAILED_TYPE, administrator ?? UNKNOWN)
}

/** Call it before the link is created. */
export function notePasswordLink(db: Database, administrator: string): Promise<void> {
  return note(db, 'put', LINK_TYPE, administrator)
}

function note(db: Database, op: 'put' | 'delete', type: string, documentId: string): Promise<void> {
  return db.transact((session) => {
    noteRow(session, op, { type, documentId })
    return Promise.resolve()
  })
}
