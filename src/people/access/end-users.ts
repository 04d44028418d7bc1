import type { Session } from '../../mongo/connection/database.ts'

export interface IdentifiedUser {
  readonly id: number
  readonly documentId: string
  readonly role: string | null
  readonly session: string | null
  /** In seconds since 1970. */
  readonly signedInAt: number
  /** Stores an anonymous user. Absent for users that are stored. */
  readonly store?: () => Promise<void>
}

export interface EndUsers {
  /** @throws UnauthorizedError for an invalid JWT. */
  identify(token: string): Promise<IdentifiedUser>
  find(documentId: string): Promise<Omit<IdentifiedUser, 'session' | 'signedInAt'> | null>
  /** `role` is a documentId. */
  countOf(role: string, session: Session): Promise<number>
}
