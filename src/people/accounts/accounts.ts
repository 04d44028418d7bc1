import { ApplicationError, UnauthorizedError, ValidationError } from '../../base/errors.ts'
import {
  assertOnly,
  NEW_NAME_AND_PASSWORD,
  optionalTextOf,
  readAccount,
  required,
  RULES,
  readText,
} from './account-input.ts'
import { isIdentifier, lockIdentifiers } from './identifiers.ts'
import { mailConfirmation } from './mail-confirmation.ts'
import type { Links, Mailer } from './mailer.ts'
import type { SignInNotes } from './note-sign-ins.ts'
import type { KnownDevices } from '../sign-in/known-devices.ts'
import type { Passwords } from '../sign-in/passwords.ts'
import type { Roles } from '../access/roles.ts'
import { AUTHENTICATED_ROLE } from '../access/role-rows.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { Sessions } from './sessions.ts'
import {
  type AttributeWriter,
  isTakenAccount,
  pickAttributes,
  type UserAttributes,
} from './user-attributes.ts'
import { toSeconds, type UserTokens } from './user-tokens.ts'
import {
  changeUser,
  findUserByIdentifier,
  insertUser,
  type InsertUser,
  replaceHash,
  type User,
  type UserGuard,
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
  readonly roles: Pick<Roles, 'list' | 'hold'>
  readonly mailer: Mailer
  readonly links: Links
  /** Written after the response, so that the response time does not depend on it. */
  readonly notes: SignInNotes
  /** Runs after the response, so that the response time does not depend on it. */
  readonly behind: (work: Promise<unknown>) => void
}

export interface SignedIn {
  /** Null until a new user confirms the address. */
  readonly jwt: string | null
  /** Null without sessions. */
  readonly refreshToken: string | null
  readonly user: User
}

const NEW_USER = {
  email: required(RULES.email),
  username: required(RULES.text),
  password: required(RULES.password),
}

const LOGIN = { identifier: required(RULES.text), password: required(RULES.text) }

const LOGOUT = { scope: RULES.scope }

const DEVICE = { deviceId: RULES.deviceId }

/**
 * Signs in or sends the confirmation mail.
 * @throws ValidationError, ApplicationError if the name is taken.
 */
export async function register(
  context: AccountsContext,
  body: unknown,
  writer: AttributeWriter,
): Promise<SignedIn> {
  const device = context.sessions === null ? {} : DEVICE
  const { attributes } = context
  assertOnly([...Object.keys({ ...NEW_USER, ...device }), ...attributes.registered], body)
  const input = readAccount(NEW_USER, body)
  readAccount(NEW_NAME_AND_PASSWORD, input)
  const deviceId = deviceOf(context, body)
  const email = readText(input, 'email').toLowerCase()
  const username = readText(input, 'username')
  const given = pickAttributes(attributes.registered, body)
  const insert = await attributes.checkRegistered(given, writer)
  await assertUnused(context, email, username)
  const password = await context.passwords.hash(readText(input, 'password'))
  const role = await roleOf(context, AUTHENTICATED_ROLE)
  const confirmed = !context.emailConfirmation
  const values = { ...newUserValues({ email, username, password, role }), confirmed }
  const user = await insertNew(context, values, insert)
  if (confirmed) return signIn(context, user, deviceId)
  context.behind(mailConfirmation(context, user))
  return { jwt: null, refreshToken: null, user }
}

async function insertNew(
  context: AccountsContext,
  values: UserValues,
  insert: InsertUser,
): Promise<User> {
  try {
    const guard: UserGuard = (session) =>
      assertUnused(context, values.email, values.username, session)
    return await insertUser(context, values, guard, insert)
  } catch (error) {
    if (isTakenAccount(error)) throw bothTaken() // another request has taken the name since the check
    throw error
  }
}

/**
 * Reports a blocked or unconfirmed account only after the correct password.
 * @throws ValidationError, ApplicationError
 */
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
    context.behind(hashAnew(context, user, readText(input, 'password')))
  }
  return signIn(context, user, deviceId)
}

/**
 * Replaces an imported hash of another algorithm. The password does not change, so tokens stay
 * valid.
 */
async function hashAnew(context: AccountsContext, user: User, password: string): Promise<void> {
  await replaceHash(context, user, await context.passwords.hash(password))
}

export interface OwnSession {
  readonly documentId: string
  readonly session: string | null
}

/**
 * `{ "scope": "all" }` ends all sessions. Without sessions, all tokens of the user become invalid.
 * @throws ValidationError
 */
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

async function signIn(
  { tokens, sessions }: AccountsContext,
  user: User,
  deviceId: string | null,
): Promise<SignedIn> {
  if (sessions === null) return { jwt: await tokens.sign(user), refreshToken: null, user }
  const { id, refreshToken } = await sessions.start(user, deviceId)
  return { jwt: await tokens.sign(user, id), refreshToken, user }
}

/** Null if absent or without sessions. @throws ValidationError */
export function deviceOf({ sessions }: AccountsContext, body: unknown): string | null {
  return sessions === null ? null : optionalTextOf(readAccount(DEVICE, body), 'deviceId')
}

export function mayEnter({ emailConfirmation }: AccountsContext, user: User): boolean {
  return !user.blocked && (user.confirmed || !emailConfirmation)
}

/** @throws ApplicationError with the reason. */
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
  return signIn(context, user, deviceId)
}

/**
 * Tokens have whole seconds. Existing ones expire with the current second, and new ones are issued
 * for the next second.
 */
function revokedTokens(
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
  given: Pick<UserValues, 'username' | 'email' | 'password' | 'role'>,
): UserValues {
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

/**
 * Usernames and addresses are both identifiers, so neither may equal another one. In a transaction
 * the names stay locked.
 */
async function assertUnused(
  context: AccountsContext,
  email: string,
  username: string,
  session?: Session,
): Promise<void> {
  if (session !== undefined) await lockIdentifiers(context.db, [email, username], session)
  if (await isIdentifier(context, [email, username], null, session)) throw bothTaken()
}

async function roleOf({ roles }: AccountsContext, type: string): Promise<string | null> {
  return (await roles.list()).find((role) => role.type === type)?.documentId ?? null
}

function bothTaken(): ApplicationError {
  return new ApplicationError('Email or Username are already taken', {}, { code: 'account_taken' })
}
