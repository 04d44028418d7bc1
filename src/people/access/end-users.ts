import type { Session } from '../../mongo/connection/database.ts'

export interface IdentifiedUser {
  readonly id: number
  readonly documentId: string
  readonly role: string | null
  /** Null without sessions. */
  readonly session: string | null
}

export interface EndUsers {
  /** @throws UnauthorizedError for an invalid JWT. */
  identify(token: string): Promise<IdentifiedUser>
  /** Returns null if the user is deleted or blocked. */
  find(documentId: string): Promise<Omit<IdentifiedUser, 'session'> | null>
  /** `role` is a documentId. */
  countOf(role: string, session: Session): Promise<number>
}
