import type { Database } from '../../mongo/connection/database.ts'
import { noteAccount, noteSession } from '../sign-in/sign-in-notes.ts'

const SESSION_TYPE = 'plugin::users-permissions.session'
const FAILED_TYPE = 'plugin::users-permissions.failed-sign-in'
/** Replaces the records above the limit. The id is their number. */
const LEFT_OUT_TYPE = 'plugin::users-permissions.left-out-sign-ins'

/** Limit per process, so that password guessing or many users cannot fill the log. */
const MAX_PER_MINUTE = 60
const MINUTE_MS = 60_000

export interface SignInNotes {
  signedIn(documentId: string): Promise<void>
  failed(documentId: string | null): Promise<void>
}

export function openSignInNotes(
  database: Database,
  nowMs: () => number = () => performance.now(),
): SignInNotes {
  let minute = { since: nowMs(), noted: 0, leftOut: 0 }

  const admit = async (): Promise<boolean> => {
    if (nowMs() - minute.since >= MINUTE_MS) {
      const { leftOut } = minute
      minute = { since: nowMs(), noted: 0, leftOut: 0 }
      if (leftOut > 0) await noteAccount(database, 'put', LEFT_OUT_TYPE, String(leftOut))
    }
    const isAdmitted = minute.noted < MAX_PER_MINUTE
    if (isAdmitted) minute.noted += 1
    else minute.leftOut += 1
    return isAdmitted
  }
  return {
    signedIn: async (id) => {
      if (await admit()) await noteSession(database, SESSION_TYPE, { kind: 'user', id, name: null })
    },
    failed: async (documentId) => {
      if (await admit()) await noteAccount(database, 'put', FAILED_TYPE, documentId)
    },
  }
}
