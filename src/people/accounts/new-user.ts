import { randomBytes } from 'node:crypto'
import { ValidationError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import {
  type AccountsContext,
  assertUnused,
  authenticatedRole,
  newUserValues,
  revokedTokens,
} from './accounts.ts'
import { removeIdentities } from '../identities/identity-rows.ts'
import { isIdentifier } from './identifiers.ts'
import { type AttributeWriter, pickAttributes } from './user-attributes.ts'
import type { AddressedValues, InsertUser, User, UserValues } from './users.ts'

export interface NewUserRequest {
  readonly body: unknown
  readonly writer: AttributeWriter
}

export interface PreparedUser {
  readonly values: AddressedValues
  readonly insert: InsertUser
}

/** The row of an account without a password. No password matches it. */
const NO_PASSWORD = ''

export async function prepareUser(
  context: AccountsContext,
  given: Pick<AddressedValues, 'email' | 'username' | 'provider' | 'confirmed'>,
  { body, writer }: NewUserRequest,
): Promise<PreparedUser> {
  const { attributes } = context
  const own = pickAttributes(attributes.registered, body)
  const insert = await attributes.checkRegistered(own, writer)
  const role = await authenticatedRole(context)
  const username = await freeUsername(context, given.username, given.email)
  const { email, provider, confirmed } = given
  const values = newUserValues({ email, username, password: NO_PASSWORD, role })
  return { values: { ...values, provider, confirmed }, insert }
}

/** The caller has locked the identifiers. @throws ApplicationError if one is taken */
export async function insertPrepared(
  context: AccountsContext,
  { values, insert }: PreparedUser,
  session: Session,
): Promise<User> {
  await assertUnused(context, values.email, values.username, session)
  return (await insert(values, session)) as User
}

/** Removes the identities of the user. Returns the changes that remove the other credentials and end the sessions. */
export async function dropCredentials(
  context: AccountsContext,
  owner: User,
  session: Session,
): Promise<Partial<UserValues>> {
  await removeIdentities(context.db, owner.documentId, session)
  return {
    ...revokedTokens(context, owner),
    password: NO_PASSWORD,
    confirmed: true,
    confirmationToken: null,
    resetPasswordToken: null,
    resetPasswordExpiresAt: null,
  }
}

const MIN_USERNAME = 3
const MAX_USERNAME = 200
const ATTEMPTS = 5

/** The local part of the address if there is no usable name, and a random suffix if the name is taken. */
export async function freeUsername(
  context: AccountsContext,
  wanted: string,
  email: string,
): Promise<string> {
  const isAddress = wanted.includes('@')
  const base = (isAddress ? email.slice(0, email.lastIndexOf('@')) : wanted)
    .normalize('NFC')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_USERNAME)
  const usable = base.length < MIN_USERNAME ? `user-${base}` : base
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const name = attempt === 0 ? usable : `${usable}-${randomBytes(3).toString('hex')}`
    if (!(await isIdentifier(context, [name], null))) return name
  }
  throw new ValidationError('The username is taken', {}, { code: 'account_taken' })
}
