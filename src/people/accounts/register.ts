import {
  assertOnly,
  NEW_NAME_AND_PASSWORD,
  readAccount,
  readText,
  required,
  RULES,
} from './account-input.ts'
import {
  type AccountsContext,
  assertUnused,
  authenticatedRole,
  bothTaken,
  DEVICE,
  deviceOf,
  newUserValues,
  type SignedIn,
  signInUser,
} from './accounts.ts'
import { becomeAccount } from './anonymous-sign-in.ts'
import { mailConfirmation } from './mail-confirmation.ts'
import { type AttributeWriter, isTakenAccount, pickAttributes } from './user-attributes.ts'
import {
  type AddressedValues,
  insertUser,
  type InsertUser,
  type User,
  type UserGuard,
} from './users.ts'

export interface Registration {
  readonly writer: AttributeWriter
  /** The documentId of an anonymous user that registers. */
  readonly anonymous?: string | null
}

const NEW_USER = {
  email: required(RULES.email),
  username: required(RULES.text),
  password: required(RULES.password),
}

/** Signs in or sends the confirmation mail. An anonymous user keeps its documentId. @throws ValidationError, ApplicationError if the name is taken. */
export async function register(
  context: AccountsContext,
  body: unknown,
  { writer, anonymous = null }: Registration,
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
  const role = await authenticatedRole(context)
  const confirmed = !context.emailConfirmation
  const values = { ...newUserValues({ email, username, password, role }), confirmed }
  const user =
    anonymous === null
      ? await insertNew(context, values, insert)
      : await convert(context, { documentId: anonymous, values, given, writer })
  if (confirmed) return signInUser(context, user, deviceId)
  context.behind(mailConfirmation(context, user))
  return { jwt: null, refreshToken: null, user }
}

async function insertNew(
  context: AccountsContext,
  values: AddressedValues,
  insert: InsertUser,
): Promise<User> {
  const guard: UserGuard = (session) =>
    assertUnused(context, values.email, values.username, session)
  return unlessNameTaken(insertUser(context, values, guard, insert))
}

interface Conversion {
  readonly documentId: string
  readonly values: AddressedValues
  readonly given: Readonly<Record<string, unknown>>
  readonly writer: AttributeWriter
}

async function convert(
  context: AccountsContext,
  { documentId, values, given, writer }: Conversion,
): Promise<User> {
  const { email, username, provider, password, role, confirmed } = values
  const changes = { email, username, provider, password, role, confirmed }
  const writeAttributes = await context.attributes.checkChange(documentId, given, writer)
  const converted = context.db.transact(async (session) => {
    await assertUnused(context, email, username, session)
    await writeAttributes(session)
    return becomeAccount(context, documentId, changes, session)
  })
  const user = await unlessNameTaken(converted)
  await context.sessions?.endOf(documentId, null)
  return user
}

async function unlessNameTaken(written: Promise<User>): Promise<User> {
  try {
    return await written
  } catch (error) {
    if (isTakenAccount(error)) throw bothTaken() // another request has taken the name since the check
    throw error
  }
}
