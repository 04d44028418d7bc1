import { currentAuthorship, writingAs } from '../../mongo/connection/authorship.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database } from '../../mongo/connection/database.ts'

/** Types in the commit log. */
const SESSION_TYPE = 'plugin::users-permissions.session'
const FAILED_TYPE = 'plugin::users-permissions.failed-sign-in'
/** Replaces the records above the limit. The id is their number. */
const LEFT_OUT_TYPE = 'plugin::users-permissions.left-out-sign-ins'

/** Id of a failed sign-in with an unknown name. The input is not recorded. */
const UNKNOWN = 'unknown'

/** Limit per process, so that password guessing or many users cannot fill the log. */
const MAX_PER_MINUTE = 60
const MINUTE_MS = 60_000

/**
 * Records sign-ins of end users in the audit. Above the limit per minute, only their number is
 * recorded.
 */
export interface SignInNotes {
  signedIn(documentId: string): Promise<void>
  /** Null for an unknown name. */
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
