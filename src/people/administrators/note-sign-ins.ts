import { currentAuthorship, writingAs } from '../../mongo/connection/authorship.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { AdministratorRow } from './rows.ts'

/** What the commit log calls them: a session is put where it begins and deleted where somebody ends it. */
const SESSION_TYPE = 'admin::session'
const FAILED_TYPE = 'admin::failed-sign-in'
const LINK_TYPE = 'admin::password-link'

/** In place of an administrator's id where there is none. What was typed is not kept: some type their password there. */
const UNKNOWN = 'unknown'

type NamedAdministrator = Pick<AdministratorRow, '_id' | 'name'>

/** Before the session begins: none is that the audit does not have. It is the administrator's own doing. */
export async function noteSignIn(
  db: Database,
  { _id: id, name }: NamedAdministrator,
): Promise<void> {
  const { requestId } = currentAuthorship()
  const by = { kind: 'administrator', id, name }
  await writingAs({ by, requestId }, () => note(db, 'put', SESSION_TYPE, id))
}

/** A sign-out by the administrator, of this device or another. */
export function noteSignOut(db: Database, administrator: string): Promise<void> {
  return note(db, 'delete', SESSION_TYPE, administrator)
}

/** The administrator whose address was tried; null for an unknown address or link. */
export function noteFailedSignIn(db: Database, administrator: string | null): Promise<void> {
  return note(db, 'put', FAILED_TYPE, administrator ?? UNKNOWN)
}

/** Somebody makes a link by which an administrator gets in: before it is made. */
export function notePasswordLink(db: Database, administrator: string): Promise<void> {
  return note(db, 'put', LINK_TYPE, administrator)
}

function note(db: Database, op: 'put' | 'delete', type: string, documentId: string): Promise<void> {
  return db.transact((session) => {
    noteRow(session, op, { type, documentId })
    return Promise.resolve()
  })
}
