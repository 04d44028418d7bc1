import { assertWhole } from '../access/input.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { ValidationError } from '../../base/errors.ts'
import type { InsertUser, UserReference } from './users.ts'

export interface AttributeWriter {
  mayRead(uid: string): boolean
  maySeePrivate?(file: { readonly uploadedBy?: string | null }): boolean
  readonly locale: string
}

export type ChangeAttributes = (session: Session) => Promise<void>

type Given = Readonly<Record<string, unknown>>

type CheckUser = (given: Given, writer: AttributeWriter) => Promise<InsertUser>

export interface UserAttributes {
  readonly names: readonly string[]
  readonly registered: readonly string[]
  readonly checkNew: CheckUser
  readonly checkRegistered: CheckUser
  /** Its ids are part of the token already. */
  readonly checkAnonymous: (user: UserReference) => Promise<InsertUser>
  readonly checkChange: (
    documentId: string,
    given: Given,
    writer: AttributeWriter,
  ) => Promise<ChangeAttributes>
}

/** For CLI commands: relations may target any content. */
export const ANY_WRITER: AttributeWriter = {
  mayRead: () => true,
  maySeePrivate: () => true,
  locale: 'en',
}

export function pickAttributes(names: readonly string[], body: unknown): Given {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {}
  const given = Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
  assertWhole(given)
  return given
}

export function isTakenAccount(error: unknown): error is ValidationError {
  if (!(error instanceof ValidationError)) return false
  const { errors = [] } = error.details as {
    readonly errors?: readonly { path: readonly unknown[] }[]
  }
  return errors.some(({ path: [key] }) => key === 'username' || key === 'email')
}
