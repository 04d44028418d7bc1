import { newJob, type JobRow } from '../../mongo/jobs/job-queue.ts'
import { authorshipOf } from '../../mongo/connection/commit-record.ts'
import type { Author, WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { DeletedUsers } from '../../people/accounts/deleted-users.ts'
import type { DocumentContext } from '../context.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'

/** Work on the content of users, and its progress. */
export interface UserContentRow extends JobRow {
  /** documentIds of users that are deleted, or of one user whose content moves. */
  readonly users: readonly string[]
  /** The documentId of the user that gets the content. Null applies `onUserDelete`. */
  readonly to: string | null
  readonly by: Author
  readonly requestId: string | null
  readonly createdAt: Date
  /** Names of the finished parts. */
  readonly done: readonly string[]
  /** Progress in the part that is running. */
  readonly part: string | null
  readonly after: string
}

export const USER_CONTENT = 'quire_user_content'

export function userContentIn(database: Database) {
  return database.table<UserContentRow>(USER_CONTENT)
}

export function openDeletedUsers({
  database,
  now,
}: Pick<DocumentContext, 'database' | 'now'>): DeletedUsers {
  return {
    enqueue: (users, session) => enqueueDeletedUsers(database, users, { at: now(), session }),
    enqueueMove: (from, to, session) => enqueueMove(database, { from, to, at: now() }, session),
  }
}

/** The content of the users is processed after the transaction, as writes of its author. */
async function enqueueDeletedUsers(
  database: Database,
  users: readonly string[],
  { at, session }: { readonly at: Date; readonly session: Session },
): Promise<void> {
  const [first] = users
  if (first === undefined) return
  const row = newRow({ _id: first, users, to: null }, at, session)
  await userContentIn(database).replaceOne({ _id: first }, row, { session, upsert: true })
}

/** The first of two requests decides. */
async function enqueueMove(
  database: Database,
  { from, to, at }: { readonly from: string; readonly to: string; readonly at: Date },
  session: Session,
): Promise<void> {
  const _id = `move ${from}`
  const row = newRow({ _id, users: [from], to }, at, session)
  const options = { session, upsert: true }
  await userContentIn(database).updateOne({ _id }, { $setOnInsert: row }, options)
}

function newRow(
  work: Pick<UserContentRow, '_id' | 'users' | 'to'>,
  at: Date,
  session: Session,
): UserContentRow {
  const progress = { done: [], part: null, after: '' }
  return { ...newJob(at), ...work, ...authorshipOf(session), createdAt: at, ...progress }
}

export function originOfWork({ by, requestId }: UserContentRow): WriteOrigin {
  return { authorship: { by, requestId }, caller: null }
}
