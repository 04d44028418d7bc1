import type { Database } from '../../mongo/connection/database.ts'
import { noteAccount, noteSession } from '../sign-in/sign-in-notes.ts'
import type { AdministratorRow } from './rows.ts'

/** Types in the commit log. A session is put at sign-in and deleted at sign-out. */
const SESSION_TYPE = 'admin::session'
const FAILED_TYPE = 'admin::failed-sign-in'
const LINK_TYPE = 'admin::password-link'
const RECOVERY_TYPE = 'admin::recovery-code'

type NamedAdministrator = Pick<AdministratorRow, '_id' | 'name'>

/** Call it before the session starts, so that no session is missing in the audit. */
export function noteSignIn(db: Database, { _id: id, name }: NamedAdministrator): Promise<void> {
  return noteSession(db, SESSION_TYPE, { kind: 'administrator', id, name })
}

export function noteSignOut(db: Database, administrator: string): Promise<void> {
  return noteAccount(db, 'delete', SESSION_TYPE, administrator)
}

export function noteFailedSignIn(db: Database, administrator: string | null): Promise<void> {
  return noteAccount(db, 'put', FAILED_TYPE, administrator)
}

export function noteRecoveryCode(
  db: Database,
  { _id: id, name }: NamedAdministrator,
): Promise<void> {
  return noteSession(db, RECOVERY_TYPE, { kind: 'administrator', id, name })
}

export function notePasswordLink(db: Database, administrator: string): Promise<void> {
  return noteAccount(db, 'put', LINK_TYPE, administrator)
}
