import { currentAuthorship, writingAs } from '../../mongo/connection/authorship.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database } from '../../mongo/connection/database.ts'

/** What the commit log calls them. */
const SESSION_TYPE = 'plugin::users-permissions.session'
const FAILED_TYPE = 'plugin::users-permissions.failed-sign-in'
/** In place of those that were too many: how many there were is the id. */
const LEFT_OUT_TYPE = 'plugin::users-permissions.left-out-sign-ins'

/** In place of a user's id for an unknown name. The input is not kept. */
const UNKNOWN = 'unknown'

/** Per process: guessed passwords, or an app with many users, must not fill the log. */
const MAX_PER_MINUTE = 60
const MINUTE_MS = 60_000

/** Puts sign-ins of end users into the audit: so many a minute one by one, the rest of the minute as a number. */
export interface SignInNotes {
  /** The user who has signed in. */
  signedIn(documentId: string): Promise<void>
  /** The user whose name was tried; null for an unknown name. */
  failed(documentId: string | null): Promise<void>
}

export function openSignInNotes(
  database: Database,
  nowMs: () => number = () => performance.now(),
): SignInNotes {
  let minute = { since: nowMs(), noted: 0, leftOut: 0 }

  /** False where this one is left out. */
  const admit = async (): Promise<boolean> => {
    if (nowMs() - minute.since >= MINUTE_MS) {
      const { leftOut } = minute
      minute = { since: nowMs(), noted: 0, leftOut: 0 }
      if (leftOut > 0) await note(database, LEFT_OUT_TYPE, String(leftOut))
    }
    const isAdmitted = minute.noted < MAX_PER_MINUTE
    if (isAdmitted) minute.noted += 1
    else minute.leftOut += 1
    return isAdmitted
  }
  return {
    signedIn: async (id) => {
      if (!(await admit())) return
      const { requestId } = currentAuthorship()
      const by = { kind: 'user', id, name: null }
      await writingAs({ by, requestId }, () => note(database, SESSION_TYPE, id))
    },
    failed: async (documentId) => {
      if (await admit()) await note(database, FAILED_TYPE, documentId ?? UNKNOWN)
    },
  }
}

function note(database: Database, type: string, documentId: string): Promise<void> {
  return database.transact((session) => {
    noteRow(session, 'put', { type, documentId })
    return Promise.resolve()
  })
}
