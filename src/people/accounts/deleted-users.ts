import type { Session } from '../../mongo/connection/database.ts'

/** Applies `onUserDelete` to the content of deleted users. */
export interface DeletedUsers {
  /** Stores the work in the transaction that deletes the users. It runs in the background. */
  enqueue(users: readonly string[], session: Session): Promise<void>
  /** Gives the content of a user to another one and then deletes the user. */
  enqueueMove(from: string, to: string, session: Session): Promise<void>
}
