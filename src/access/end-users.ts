import type { Session } from '../mongo/connection/database.ts'

/** The principal of a token. */
export interface IdentifiedUser {
  readonly id: number
  readonly documentId: string
  readonly role: string | null
  /** The id of the session of the token; null without sessions. */
  readonly session: string | null
}

/** What deciding who may do what needs to know of end users. */
export interface EndUsers {
  /** The principal of a JWT. @throws UnauthorizedError */
  identify(token: string): Promise<IdentifiedUser>
  /** By documentId; null for one who is gone or blocked. */
  find(documentId: string): Promise<Omit<IdentifiedUser, 'session'> | null>
  /** How many have a role, by its documentId. */
  countOf(role: string, session: Session): Promise<number>
}
