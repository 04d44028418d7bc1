import {
  ApplicationError,
  NotFoundError,
  ValidationError,
  validationError,
  fault,
} from '../errors.ts'
import {
  NEW_NAME_AND_PASSWORD,
  optionalTextOf,
  readAccount,
  required,
  RULES,
  textOf,
} from './account-input.ts'
import { type AccountsContext, newPassword, newUserValues } from './accounts.ts'
import { isIdentifier, lockIdentifiers } from './identifiers.ts'
import {
  changeUser,
  findUser,
  insertUser,
  removeUser,
  ROLE,
  type User,
  type UserGuard,
  type UsersContext,
  type UserValues,
} from './users.ts'

const FLAGS = { confirmed: RULES.flag, blocked: RULES.flag }

const NEW_USER = {
  email: required(RULES.email),
  username: required(RULES.text),
  password: required(RULES.password),
  role: required(RULES.anything),
  ...FLAGS,
}

const CHANGE = {
  email: RULES.email,
  username: RULES.username,
  password: RULES.newPassword,
  role: RULES.anything,
  ...FLAGS,
}

/** The dependencies of user management, without those of sign-in. */
export type UserManagement = UsersContext &
  Pick<AccountsContext, 'passwords' | 'roles' | 'sessions'>

type Input = ReturnType<typeof readAccount>

/** Throws where somebody may not give a role, by its documentId, or act for those who have it. */
export type AssertRole = (role: string | null) => Promise<void>

const ANY_ROLE: AssertRole = () => Promise.resolve()

/** By name, or else by address; null when there is none. */
export async function findNamedUser(context: UserManagement, name: string): Promise<User | null> {
  const named = await findUser(context, { username: name })
  return named ?? findUser(context, { email: name.toLowerCase() })
}

/** @throws NotFoundError for an id that no user has, which may be any text. */
export async function getUser(context: UserManagement, id: string): Promise<User> {
  const user = isId(id) ? await findUser(context, { id: Number(id) }) : null
  if (user === null) throw new NotFoundError('User not found')
  return user
}

/** @throws ValidationError, ApplicationError for an address or a name that is taken, and what `assertRole` throws. */
export async function createUser(
  context: UserManagement,
  body: unknown,
  assertRole: AssertRole = ANY_ROLE,
): Promise<User> {
  const input = readAccount(NEW_USER, body)
  readAccount(NEW_NAME_AND_PASSWORD, input)
  const email = textOf(input, 'email').toLowerCase()
  const username = textOf(input, 'username')
  const role = await readRole(context, input['role'])
  await assertRole(role)
  await assertFree(context, null, { email, username }, 'This attribute must be unique')
  const password = await context.passwords.hash(textOf(input, 'password'))
  const values = { ...newUserValues({ email, username, password, role }), ...flagsOf(input) }
  return asTaken(insertUser(context, values, guardOf(context, null, { email, username, role })))
}

/**
 * Changes what is given. A new password revokes the user's tokens; blocking ends the sessions, so that who
 * is let in again signs in again.
 * @throws NotFoundError, ValidationError, ApplicationError for an address or a name that is taken, and what
 * `assertRole` throws of the role that the user has and of the one that is given.
 */
export async function updateUser(
  context: UserManagement,
  id: string,
  body: unknown,
  assertRole: AssertRole = ANY_ROLE,
): Promise<User> {
  const user = await getUser(context, id)
  const input = readAccount(CHANGE, body)
  const changes = await readChanges(context, input)
  await assertRole(user.role)
  if (changes.role !== undefined) await assertRole(changes.role)
  await assertFree(context, user, changes, 'Username already taken')
  const password = optionalTextOf(input, 'password')
  const hash = password === null ? null : await context.passwords.hash(password)
  const changed = await asTaken(
    changeUser(
      context,
      user,
      (stored) => ({
        ...changes,
        ...(hash !== null && newPassword(context, stored, hash)),
      }),
      guardOf(context, user, changes),
    ),
  )
  if (changed === null) throw new NotFoundError('User not found')
  if (changed.blocked) await context.sessions?.endOf(changed.documentId, null)
  return changed
}

/** Answers the user as it was. @throws NotFoundError */
export async function deleteUser(context: UserManagement, id: string): Promise<User> {
  const user = await getUser(context, id)
  await removeUser(context, user)
  await context.sessions?.endOf(user.documentId, null)
  return user
}

async function readChanges(context: UserManagement, input: Input): Promise<Partial<UserValues>> {
  const email = optionalTextOf(input, 'email')
  const username = optionalTextOf(input, 'username')
  const role = input['role']
  return {
    ...flagsOf(input),
    ...(email !== null && { email: email.toLowerCase() }),
    ...(username !== null && { username }),
    ...(role !== undefined && { role: await readRole(context, role) }),
  }
}

function flagsOf(input: Input): Partial<Pick<UserValues, 'confirmed' | 'blocked'>> {
  const { confirmed, blocked } = input
  return {
    ...(typeof confirmed === 'boolean' && { confirmed }),
    ...(typeof blocked === 'boolean' && { blocked }),
  }
}

/**
 * What was looked at before holds until the user is stored: the role is there, and no name or address is
 * another user's.
 */
function guardOf(
  context: UserManagement,
  user: User | null,
  { email, username, role }: Partial<UserValues>,
): UserGuard {
  const identifiers = [email, username].filter((one) => one !== undefined)
  return async (session) => {
    if (identifiers.length > 0) {
      await lockIdentifiers(context.db, identifiers, session)
      if (await isIdentifier(context, identifiers, user, session)) {
        throw new ApplicationError('Email or Username are already taken')
      }
    }
    if (typeof role === 'string' && !(await context.roles.hold(role, session))) {
      throw noSuchRole(role)
    }
  }
}

/** @throws ApplicationError, about the name first. */
async function assertFree(
  context: UserManagement,
  user: User | null,
  { email, username }: Partial<UserValues>,
  takenName: string,
): Promise<void> {
  const others = user === null ? {} : { documentId: { $ne: user.documentId } }
  const isTaken = async (values: Partial<UserValues>): Promise<boolean> =>
    (await findUser(context, { ...values, ...others })) !== null
  if (username !== undefined && (await isTaken({ username }))) {
    throw new ApplicationError(takenName, {}, { code: 'account_taken' })
  }
  if (email !== undefined && (await isTaken({ email }))) {
    throw new ApplicationError('Email already taken', {}, { code: 'account_taken' })
  }
}

/** Taken since it was looked for. */
async function asTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (error instanceof ValidationError)
      throw new ApplicationError(error.message, {}, { code: 'account_taken' })
    throw error
  }
}

/** The documentId of the role that a payload names. @throws ValidationError when there is none. */
async function readRole({ roles }: UserManagement, given: unknown): Promise<string> {
  const name = roleName(given)
  const role = (await roles.list()).find(
    ({ id, documentId }) => documentId === name || String(id) === name,
  )
  if (role !== undefined) return role.documentId
  throw noSuchRole(given)
}

function noSuchRole(given: unknown): ValidationError {
  const message = `1 relation(s) of type ${ROLE} associated with this entity do not exist`
  return validationError([fault(['role'], message, given)])
}

/** `1`, `'1'`, a documentId, `{ id }` or `{ documentId }`; one of these in a list, under `connect` or `set`. */
function roleName(given: unknown): string | null {
  const { connect, set } = objectOf(given)
  const asked = connect ?? set ?? given
  const [one, ...others] = Array.isArray(asked) ? (asked as readonly unknown[]) : [asked]
  const { documentId, id } = objectOf(one)
  const name = documentId ?? id ?? one
  const isName = typeof name === 'number' || typeof name === 'string'
  return isName && others.length === 0 ? String(name) : null
}

function objectOf(given: unknown): Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null ? { ...given } : {}
}

function isId(text: string): boolean {
  return /^[1-9][0-9]{0,8}$/.test(text)
}
