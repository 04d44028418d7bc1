import { ApplicationError, UnauthorizedError, ValidationError } from '../../base/errors.ts'
import { optionalTextOf, readAccount, required, RULES, readText } from './account-input.ts'
import { isIdentifier, lockIdentifiers } from './identifiers.ts'
import type { AnonymousUsers } from './anonymous-users.ts'
import type { DeletedUsers } from './deleted-users.ts'
import type { Provider } from '../identities/providers.ts'
import type { SignInCodes } from '../identities/sign-in-codes.ts'
import type { Links, Mailer } from './mailer.ts'
import type { SignInNotes } from './note-sign-ins.ts'
import type { KnownDevices } from '../sign-in/known-devices.ts'
import type { Passwords } from '../sign-in/passwords.ts'
import type { Roles } from '../access/roles.ts'
import { AUTHENTICATED_ROLE } from '../access/role-rows.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { Sessions } from './sessions.ts'
import type { UserAttributes } from './user-attributes.ts'
import { toSeconds, type UserTokens } from './user-tokens.ts'
import {
  type AddressedValues,
  changeUser,
  findUserByIdentifier,
  replaceHash,
  type User,
  type UsersContext,
  type UserValues,
} from './users.ts'

export interface AccountsContext extends UsersContext {
  readonly passwords: Passwords
  readonly knownDevices: KnownDevices
  readonly tokens: UserTokens
  /** Null if tokens live for 30 days and are not refreshed. */
  readonly sessions: Sessions | null
  readonly attributes: UserAttributes
  readonly emailConfirmation: boolean
  /** Whether an identity with a verified address signs in the account with that address. */
  readonly linkByEmail: boolean
  readonly providers: ReadonlyMap<string, Provider>
  readonly codes: SignInCodes
  readonly roles: Pick<Roles, 'list' | 'hold'>
  readonly mailer: Mailer
  readonly links: Links
  readonly notes: SignInNotes
  readonly deletedUsers: DeletedUsers
  /** Null if anonymous users are off. */
  readonly anonymous: AnonymousUsers | null
  /** Runs after the response, so that the response time does not depend on it. */
  readonly behind: (work: Promise<unknown>) => void
}

export interface SignedIn {
  /** Null until a new user confirms the address. */
  readonly jwt: string | null
  readonly refreshToken: string | null
  readonly user: User
}

const LOGIN = { identifier: required(RULES.text), password: required(RULES.text) }

const LOGOUT = { scope: RULES.scope }

export const DEVICE = { deviceId: RULES.deviceId }

/** Reports a blocked account only after the correct password. @throws ValidationError, ApplicationError */
export async function logIn(context: AccountsContext, body: unknown): Promise<SignedIn> {
  const input = readAccount(LOGIN, body)
  const deviceId = deviceOf(context, body)
  const user = await findUserByIdentifier(context, readText(input, 'identifier'))
  const isRight = await context.passwords.verify(
    user?.password ?? null,
    readText(input, 'password'),
  )
  if (user === null || !isRight) {
    context.behind(context.notes.failed(user?.documentId ?? null))
    throw new ValidationError('Invalid identifier or password', {}, { code: 'invalid_login' })
  }
  assertMayEnter(context, user)
  context.behind(context.notes.signedIn(user.documentId))
  if (context.passwords.isForeign(user.password)) {
    context.behind(rehash(context, user, readText(input, 'password')))
  }
  return signInUser(context, user, deviceId)
}

/** Replaces an imported hash of another algorithm. The password does not change, so tokens stay valid. */
async function rehash(context: AccountsContext, user: User, password: string): Promise<void> {
  await replaceHash(context, user, await context.passwords.hash(password))
}

export interface OwnSession {
  readonly documentId: string
  readonly session: string | null
}

/** `{ "scope": "all" }` ends all sessions. Without sessions, all tokens become invalid. @throws ValidationError */
export async function logOut(
  context: AccountsContext,
  { documentId, session }: OwnSession,
  body: unknown,
): Promise<void> {
  const deviceId = deviceOf(context, body)
  const { scope } = readAccount(LOGOUT, body)
  if (session === null || scope === 'all') {
    await changeUser(context, { documentId }, (stored) => revokedTokens(context, stored))
    await context.sessions?.endOf(documentId, null)
  } else if (deviceId === null) await context.sessions?.end(session)
  else await context.sessions?.endOf(documentId, deviceId)
}

export async function signInUser(
  { tokens, sessions }: AccountsContext,
  user: User,
  deviceId: string | null,
): Promise<SignedIn> {
  if (sessions === null) return { jwt: await tokens.sign(user), refreshToken: null, user }
  const { id, refreshToken } = await sessions.start(user, deviceId)
  return { jwt: await tokens.sign(user, id), refreshToken, user }
}

export function deviceOf({ sessions }: AccountsContext, body: unknown): string | null {
  return sessions === null ? null : optionalTextOf(readAccount(DEVICE, body), 'deviceId')
}

export function mayEnter({ emailConfirmation }: AccountsContext, user: User): boolean {
  return !user.blocked && (user.confirmed || !emailConfirmation)
}

export function assertMayEnter(context: AccountsContext, user: User): void {
  if (mayEnter(context, user)) return
  if (user.blocked) {
    const message = 'Your account has been blocked by an administrator'
    throw new ApplicationError(message, {}, { code: 'account_blocked' })
  }
  const message = 'Your account email is not confirmed'
  throw new ApplicationError(message, {}, { code: 'email_not_confirmed' })
}

/** @throws UnauthorizedError if the user was deleted during the request. */
export function signInChanged(
  context: AccountsContext,
  user: User | null,
  deviceId: string | null,
): Promise<SignedIn> {
  if (user === null) throw new UnauthorizedError('Invalid credentials')
  return signInUser(context, user, deviceId)
}

/** Tokens have whole seconds. Existing ones expire with this second, and new ones start in the next one. */
export function revokedTokens(
  { now }: Pick<AccountsContext, 'now'>,
  { tokensFrom }: Pick<User, 'tokensFrom'>,
): Pick<User, 'tokensFrom'> {
  return { tokensFrom: Math.max(toSeconds(now()), tokensFrom) + 1 }
}

/** A password change also invalidates all tokens and pending codes. */
export function userPasswordOf(
  context: Pick<AccountsContext, 'now'>,
  stored: User,
  hash: string,
): Partial<UserValues> {
  return {
    password: hash,
    resetPasswordToken: null,
    resetPasswordExpiresAt: null,
    ...revokedTokens(context, stored),
  }
}

export function newUserValues(
  given: Pick<AddressedValues, 'username' | 'email' | 'password' | 'role'>,
): AddressedValues {
  return {
    username: given.username,
    email: given.email,
    provider: 'local',
    password: given.password,
    confirmed: false,
    blocked: false,
    role: given.role,
    tokensFrom: 0,
    resetPasswordToken: null,
    resetPasswordExpiresAt: null,
    confirmationToken: null,
  }
}

/** A username may not equal the address of another user. A transaction keeps the names locked. */
export async function assertUnused(
  context: AccountsContext,
  email: string,
  username: string,
  session?: Session,
): Promise<void> {
  if (session !== undefined) await lockIdentifiers(context.db, [email, username], session)
  if (await isIdentifier(context, [email, username], null, session)) throw bothTaken()
}

export async function authenticatedRole({ roles }: AccountsContext): Promise<string | null> {
  return (await roles.list()).find(({ type }) => type === AUTHENTICATED_ROLE)?.documentId ?? null
}

export function bothTaken(): ApplicationError {
  return new ApplicationError('Email or Username are already taken', {}, { code: 'account_taken' })
}
