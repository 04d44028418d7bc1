import { assertWhole } from '../access/input.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { ValidationError } from '../../base/errors.ts'
import type { InsertUser } from './users.ts'

/** Decides which relations a caller may set. */
export interface AttributeWriter {
  mayRead(uid: string): boolean
  readonly locale: string
}

/** Stores the checked attributes of a user. */
export type ChangeAttributes = (session: Session) => Promise<void>

type Given = Readonly<Record<string, unknown>>

type CheckUser = (given: Given, writer: AttributeWriter) => Promise<InsertUser>

/**
 * Attributes that a project adds to users. The functions throw ValidationError for invalid values.
 */
export interface UserAttributes {
  readonly names: readonly string[]
  /** The names that are accepted at registration. */
  readonly registered: readonly string[]
  /** Checks all attributes and adds defaults. */
  readonly checkNew: CheckUser
  /**
   * Checks the attributes accepted at registration and adds the defaults of the others, which are
   * optional.
   */
  readonly checkRegistered: CheckUser
  readonly checkChange: (
    documentId: string,
    given: Given,
    writer: AttributeWriter,
  ) => Promise<ChangeAttributes>
}

/** For CLI commands: relations may target any content. */
export const ANY_WRITER: AttributeWriter = { mayRead: () => true, locale: 'en' }

/** Picks the own properties of a body that have one of these names. */
export function pickAttributes(names: readonly string[], body: unknown): Given {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {}
  const given = Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
  assertWhole(given)
  return given
}

/** Whether a write failed because the username or address is taken. */
export function isTakenAccount(error: unknown): error is ValidationError {
  if (!(error instanceof ValidationError)) return false
  const { errors = [] } = error.details as {
    readonly errors?: readonly { path: readonly unknown[] }[]
  }
  return errors.some(({ path: [key] }) => key === 'username' || key === 'email')
}
