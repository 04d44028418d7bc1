import { assertWhole } from '../access/input.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { ValidationError } from '../../base/errors.ts'
import type { InsertUser } from './users.ts'

/** Decides which relations a caller may set. */
export interface AttributeWriter {
  mayRead(uid: string): boolean
  readonly locale: string
}

/** Stores the attributes of a user that were checked. */
export type ChangeAttributes = (session: Session) => Promise<void>

type Given = Readonly<Record<string, unknown>>

type CheckUser = (given: Given, writer: AttributeWriter) => Promise<InsertUser>

/** The attributes that a project adds to users. Each function throws a ValidationError for wrong values. */
export interface UserAttributes {
  /** The names that a body may give. */
  readonly names: readonly string[]
  /** Those of them that a registration may give. */
  readonly registered: readonly string[]
  /** All attributes, with their defaults. */
  readonly checkNew: CheckUser
  /** The registered attributes, and the defaults of the others, which are not required. */
  readonly checkRegistered: CheckUser
  readonly checkChange: (
    documentId: string,
    given: Given,
    writer: AttributeWriter,
  ) => Promise<ChangeAttributes>
}

/** For commands: any content is a target. */
export const ANY_WRITER: AttributeWriter = { mayRead: () => true, locale: 'en' }

/** The own keys of a body that have one of these names. */
export function pickAttributes(names: readonly string[], body: unknown): Given {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {}
  const given = Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
  assertWhole(given)
  return given
}

/** Whether the write failed because another user has the username or the address. */
export function isTakenAccount(error: unknown): error is ValidationError {
  if (!(error instanceof ValidationError)) return false
  const { errors = [] } = error.details as {
    readonly errors?: readonly { path: readonly unknown[] }[]
  }
  return errors.some(({ path: [key] }) => key === 'username' || key === 'email')
}
