import { ValidationError } from '../../base/errors.ts'
import { readAccount, readText, required, RULES } from './account-input.ts'
import {
  type AccountsContext,
  assertMayEnter,
  deviceOf,
  type SignedIn,
  signInUser,
} from './accounts.ts'
import type { AttributeWriter } from './user-attributes.ts'
import { changeUser, findUser, type User } from './users.ts'
import { insertPrepared, prepareUser, dropCredentials } from './new-user.ts'

const RECIPIENT = { email: required(RULES.email) }
const CODE = { email: required(RULES.email), code: required(RULES.text) }

export interface CodeRequest {
  readonly body: unknown
  readonly writer: AttributeWriter
  readonly mayRegister: boolean
}

/** The lookup runs after the response, so that its time reveals no address. @throws ValidationError */
export function sendSignInCode(
  context: AccountsContext,
  { body, mayRegister }: Omit<CodeRequest, 'writer'>,
): void {
  const email = readText(readAccount(RECIPIENT, body), 'email').toLowerCase()
  context.behind(mailCode(context, email, mayRegister))
}

async function mailCode(
  context: AccountsContext,
  email: string,
  mayRegister: boolean,
): Promise<void> {
  const user = await findUser(context, { email: { $eq: email } })
  const isRefused = user === null ? !mayRegister : user.blocked
  if (isRefused) return
  const code = await context.codes.makeForMail(email)
  await context.mailer.send({
    to: email,
    subject: `Your code is ${code}`,
    text: `Your code to sign in is ${code}\n\nIt is valid once and for ten minutes. If you did not ask for it, ignore this mail.\n`,
  })
}

/** The first sign-in creates the user. @throws ValidationError `invalid_sign_in_code` */
export async function enterByMailCode(
  context: AccountsContext,
  { body, writer, mayRegister }: CodeRequest,
): Promise<SignedIn> {
  const input = readAccount(CODE, body)
  const email = readText(input, 'email').toLowerCase()
  if (!(await context.codes.useOfMail(email, readText(input, 'code').trim()))) throw invalidCode()
  const deviceId = deviceOf(context, body)
  const user = await userOfAddress(context, email, { body, writer, mayRegister })
  assertMayEnter(context, user)
  context.behind(context.notes.signedIn(user.documentId))
  return signInUser(context, user, deviceId)
}

async function userOfAddress(
  context: AccountsContext,
  email: string,
  { body, writer, mayRegister }: CodeRequest,
): Promise<User> {
  const stored = await findUser(context, { email: { $eq: email } })
  if (stored !== null) return confirmAddress(context, stored)
  if (!mayRegister) throw invalidCode()
  const given = { email, username: email, provider: 'local', confirmed: true }
  const made = await prepareUser(context, given, { body, writer })
  return context.db.transact((session) => insertPrepared(context, made, session))
}

/** The code proves the address. Somebody else may have registered an account that never confirmed it. */
async function confirmAddress(context: AccountsContext, stored: User): Promise<User> {
  if (stored.confirmed || !context.emailConfirmation) return stored
  const changed = await changeUser(context, stored, (current, session) =>
    dropCredentials(context, current, session),
  )
  if (changed === null) throw invalidCode()
  return changed
}

export function invalidCode(): ValidationError {
  return new ValidationError(
    'The code is wrong, used or expired',
    {},
    { code: 'invalid_sign_in_code' },
  )
}
