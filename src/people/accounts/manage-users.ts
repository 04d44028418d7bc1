import {
  ApplicationError,
  NotFoundError,
  type ValidationError,
  validationError,
  fault,
} from '../../base/errors.ts'
import {
  NEW_NAME_AND_PASSWORD,
  optionalTextOf,
  readAccount,
  required,
  RULES,
  readText,
} from './account-input.ts'
import { type AccountsContext, newUserValues, revokedTokens, userPasswordOf } from './accounts.ts'
import { isIdentifier, lockIdentifiers } from './identifiers.ts'
import { removeUser, type UserRemoval } from './delete-account.ts'
import {
  ANY_WRITER,
  type AttributeWriter,
  type ChangeAttributes,
  isTakenAccount,
  pickAttributes,
} from './user-attributes.ts'
import {
  changeUser,
  findUser,
  insertUser,
  ROLE,
  type User,
  type AddressedValues,
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

export type UserManagement = UsersContext &
  Pick<AccountsContext, 'passwords' | 'roles' | 'sessions' | 'attributes'>

type Input = ReturnType<typeof readAccount>

export type AssertRole = (role: string | null) => Promise<void>

export interface UserEditor {
  readonly assertRole: AssertRole
  readonly writer: AttributeWriter
}

const ANY_ROLE: AssertRole = () => Promise.resolve()
const ANY_EDITOR: UserEditor = { assertRole: ANY_ROLE, writer: ANY_WRITER }

export async function findNamedUser(context: UserManagement, name: string): Promise<User | null> {
  const named = await findUser(context, { username: name })
  return named ?? findUser(context, { email: name.toLowerCase() })
}

/** `id` may be any text. @throws NotFoundError */
export async function getUser(context: UserManagement, id: string): Promise<User> {
  const user = isId(id) ? await findUser(context, { id: Number(id) }) : null
  if (user === null) throw new NotFoundError('User not found')
  return user
}

/** @throws NotFoundError */
export async function getUserOfDocument(
  context: Pick<UsersContext, 'db' | 'plan'>,
  documentId: string,
): Promise<User> {
  const user = await findUser(context, { documentId: { $eq: documentId } })
  if (user === null) throw new NotFoundError('User not found')
  return user
}

/** @throws ValidationError, ApplicationError for a taken address or name, errors of `assertRole`. */
export async function createUser(
  context: UserManagement,
  body: unknown,
  { assertRole, writer }: UserEditor = ANY_EDITOR,
): Promise<User> {
  const input = readAccount(NEW_USER, body)
  readAccount(NEW_NAME_AND_PASSWORD, input)
  const email = readText(input, 'email').toLowerCase()
  const username = readText(input, 'username')
  const role = await readRole(context, input['role'])
  await assertRole(role)
  const { attributes } = context
  const insert = await attributes.checkNew(pickAttributes(attributes.names, body), writer)
  await assertFree(context, null, { email, username }, 'This attribute must be unique')
  const password = await context.passwords.hash(readText(input, 'password'))
  const values = { ...newUserValues({ email, username, password, role }), ...flagsOf(input) }
  const guard = guardOf(context, null, { email, username, role })
  return asTaken(insertUser(context, values, guard, insert))
}

/** @throws NotFoundError, ValidationError, ApplicationError for a taken address or name, errors of `assertRole` */
export async function updateUser(
  context: UserManagement,
  id: string,
  body: unknown,
  { assertRole, writer }: UserEditor = ANY_EDITOR,
): Promise<User> {
  const user = await getUser(context, id)
  const input = readAccount(CHANGE, body)
  const changes = await readChanges(context, input)
  await assertRole(user.role)
  if (changes.role !== undefined) await assertRole(changes.role)
  const writeAttributes = await checkAttributes(context, user, body, writer)
  await assertFree(context, user, changes, 'Username already taken')
  const password = optionalTextOf(input, 'password')
  const hash = password === null ? null : await context.passwords.hash(password)
  const changed = await asTaken(
    changeUser(
      context,
      user,
      (stored) => ({
        ...changes,
        ...(changes.blocked === true && revokedTokens(context, stored)),
        ...(isMoved(stored, changes) && NO_CODES),
        ...(hash !== null && userPasswordOf(context, stored, hash)),
      }),
      async (session) => {
        await guardOf(context, user, changes)(session)
        await writeAttributes(session)
      },
    ),
  )
  if (changed === null) throw new NotFoundError('User not found')
  if (changed.blocked) await context.sessions?.endOf(changed.documentId, null)
  return changed
}

/** Returns the deleted user. @throws NotFoundError, errors of `assertRole`. */
export async function deleteUser(
  context: UserManagement & UserRemoval,
  id: string,
  assertRole: AssertRole = ANY_ROLE,
): Promise<User> {
  const user = await getUser(context, id)
  await assertRole(user.role)
  await removeUser(context, user)
  return user
}

/** Codes are in the mailbox of the former address. */
const NO_CODES = {
  resetPasswordToken: null,
  resetPasswordExpiresAt: null,
  confirmationToken: null,
} as const

function isMoved(stored: User, { email }: Partial<AddressedValues>): boolean {
  return email !== undefined && email !== stored.email
}

function checkAttributes(
  { attributes }: UserManagement,
  { documentId }: User,
  body: unknown,
  writer: AttributeWriter,
): Promise<ChangeAttributes> {
  return attributes.checkChange(documentId, pickAttributes(attributes.names, body), writer)
}

async function readChanges(
  context: UserManagement,
  input: Input,
): Promise<Partial<AddressedValues>> {
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

function guardOf(
  context: UserManagement,
  user: User | null,
  { email, username, role }: Partial<AddressedValues>,
): UserGuard {
  const identifiers = [email, username].filter((one) => one !== undefined)
  return async (session) => {
    if (identifiers.length > 0) {
      await lockIdentifiers(context.db, identifiers, session)
      if (await isIdentifier(context, identifiers, user, session)) {
        throw new ApplicationError(
          'Email or Username are already taken',
          {},
          { code: 'account_taken' },
        )
      }
    }
    if (typeof role === 'string' && !(await context.roles.hold(role, session))) {
      throw noSuchRole(role)
    }
  }
}

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

/** Another request may take the name or address between the check and the write. */
async function asTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (isTakenAccount(error))
      throw new ApplicationError(error.message, {}, { code: 'account_taken' })
    throw error
  }
}

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
  return validationError([fault(['role'], message, given, { code: 'any.unknown' })])
}

/** Accepts `1`, `'1'`, a documentId, `{ id }` or `{ documentId }`, also in a list under `connect` or `set`. */
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
