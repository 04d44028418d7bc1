import { ApplicationError, UnauthorizedError, ValidationError } from '../errors.ts'
import {
  assertOnly,
  NEW_NAME_AND_PASSWORD,
  readAccount,
  required,
  RULES,
  textOf,
} from './account-input.ts'
import type { Mailer } from './mailer.ts'
import type { Passwords } from './passwords.ts'
import { AUTHENTICATED_ROLE, type Roles } from './roles.ts'
import { toSeconds, type UserTokens } from './user-tokens.ts'
import {
  changeUser,
  findUser,
  findUserByIdentifier,
  insertUser,
  type User,
  type UsersContext,
  type UserValues,
} from './users.ts'

/** What the operations on accounts work with. */
export interface AccountsContext extends UsersContext {
  readonly passwords: Passwords
  readonly tokens: UserTokens
  readonly roles: Pick<Roles, 'list'>
  readonly mailer: Mailer
  readonly links: Links
  /** Does work that no answer waits for, so that its time tells nothing. */
  readonly behind: (work: Promise<unknown>) => void
}

/** Addresses that mails lead to. */
export interface Links {
  /** The page that asks for a new password; null: a mail has the code alone. */
  readonly resetPassword: string | null
  readonly emailConfirmation: string
}

export interface SignedIn {
  readonly jwt: string
  readonly user: User
}

const NEW_USER = {
  email: required(RULES.email),
  username: required(RULES.text),
  password: required(RULES.password),
}

const LOGIN = { identifier: required(RULES.text), password: required(RULES.text) }

/** Makes an account and signs in. @throws ValidationError, ApplicationError for a name that is taken. */
export async function register(context: AccountsContext, body: unknown): Promise<SignedIn> {
  assertOnly(Object.keys(NEW_USER), body)
  const input = readAccount(NEW_USER, body)
  readAccount(NEW_NAME_AND_PASSWORD, input)
  const email = textOf(input, 'email').toLowerCase()
  const username = textOf(input, 'username')
  await assertUnused(context, email, username)
  const password = await context.passwords.hash(textOf(input, 'password'))
  const role = await roleOf(context, AUTHENTICATED_ROLE)
  const values = { ...newUserValues({ email, username, password, role }), confirmed: true }
  try {
    return await signIn(context, await insertUser(context, values))
  } catch (error) {
    if (error instanceof ValidationError) throw bothTaken() // taken since it was looked for
    throw error
  }
}

/** @throws ValidationError for wrong credentials, ApplicationError for a blocked account. */
export async function logIn(context: AccountsContext, body: unknown): Promise<SignedIn> {
  const input = readAccount(LOGIN, body)
  const user = await findUserByIdentifier(context, textOf(input, 'identifier'))
  const isRight = await context.passwords.verify(user?.password ?? null, textOf(input, 'password'))
  if (user === null || !isRight) throw new ValidationError('Invalid identifier or password')
  if (user.blocked) {
    throw new ApplicationError('Your account has been blocked by an administrator')
  }
  return signIn(context, user)
}

/** Makes every token that the user has worthless. */
export async function logOut(context: AccountsContext, documentId: string): Promise<void> {
  await changeUser(context, { documentId }, (stored) => revokedTokens(context, stored))
}

export async function signIn({ tokens }: AccountsContext, user: User): Promise<SignedIn> {
  return { jwt: await tokens.sign(user), user }
}

/** @throws UnauthorizedError for a user who is gone since the request was let in. */
export function signInChanged(context: AccountsContext, user: User | null): Promise<SignedIn> {
  if (user === null) throw new UnauthorizedError('Invalid credentials')
  return signIn(context, user)
}

/**
 * Tokens carry whole seconds, so those issued up to now end with this second; the next one is issued as
 * of the second after it.
 */
export function revokedTokens(
  { now }: Pick<AccountsContext, 'now'>,
  { tokensFrom }: Pick<User, 'tokensFrom'>,
): Pick<User, 'tokensFrom'> {
  return { tokensFrom: Math.max(toSeconds(now()), tokensFrom) + 1 }
}

/** A password, with what must follow from its change: no token and no code of before is good any more. */
export function newPassword(
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

/** Of a user who has not confirmed the address yet. */
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

/** A name that is another's address, and the other way round, would be one identifier for two. */
async function assertUnused(
  context: AccountsContext,
  email: string,
  username: string,
): Promise<void> {
  const names = { $in: [...new Set([email, username, username.toLowerCase()])] }
  // Two look-ups, each by the index of its attribute; of an $or the partial indexes serve neither half.
  const found = await Promise.all([
    findUser(context, { email: names }),
    findUser(context, { username: names }),
  ])
  if (found.some((user) => user !== null)) throw bothTaken()
}

async function roleOf({ roles }: AccountsContext, type: string): Promise<string | null> {
  return (await roles.list()).find((role) => role.type === type)?.documentId ?? null
}

function bothTaken(): ApplicationError {
  return new ApplicationError('Email or Username are already taken')
}
