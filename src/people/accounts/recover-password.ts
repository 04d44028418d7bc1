import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ValidationError } from '../../base/errors.ts'
import {
  assertConfirmed,
  NEW_PASSWORD,
  readAccount,
  required,
  RULES,
  readText,
} from './account-input.ts'
import {
  type AccountsContext,
  assertMayEnter,
  deviceOf,
  userPasswordOf,
  type SignedIn,
  signInChanged,
} from './accounts.ts'
import { credentialHash } from '../access/credentials.ts'
import { createCode } from '../sign-in/random-tokens.ts'
import { wrongPassword } from '../sign-in/passwords.ts'
import { dropCredentials } from './new-user.ts'
import { changeUser, findUser, type User } from './users.ts'

const CODE_LIVES_MS = 60 * 60 * 1_000

const FORGOT = { email: required(RULES.email) }

const RESET = {
  passwordConfirmation: required(RULES.password),
  password: required(RULES.password),
  code: required(RULES.text),
}

const CHANGE = {
  passwordConfirmation: required(RULES.password),
  password: required(RULES.password),
  currentPassword: required(RULES.text),
}

/** The lookup runs after the response, so that its time does not reveal whether the address exists. */
export function forgotPassword(context: AccountsContext, body: unknown): void {
  const email = readText(readAccount(FORGOT, body), 'email').toLowerCase()
  context.behind(findAndSend(context, email))
}

/** Random delay, so that the load of a mail cannot be measured in later responses. */
const MAX_DELAY_MS = 250

async function findAndSend(context: AccountsContext, email: string): Promise<void> {
  await delay(randomInt(MAX_DELAY_MS))
  const user = await findUser(context, { email: { $eq: email } })
  if (user !== null && !user.blocked) await mailPasswordCode(context, user)
}

interface Occasion {
  readonly subject: string
  readonly reason: string
  readonly link: string
  readonly end: string
}

const FORGOTTEN: Occasion = {
  subject: 'Reset password',
  reason: 'Somebody asked to reset the password of your account.',
  link: 'Choose a new one here',
  end: 'It is valid once and for one hour. If you did not ask, ignore this mail.',
}

/** The reason for a mail that an administrator sends. */
export const OCCASIONS = {
  reset: {
    ...FORGOTTEN,
    reason: 'An administrator asks you to choose a new password for your account.',
    end: 'It is valid once and for one hour.',
  },
  invitation: {
    subject: 'Choose a password',
    reason: 'An administrator has created an account for you.',
    link: 'Choose a password here',
    end: 'It is valid once and for one hour.',
  },
} as const satisfies Readonly<Record<string, Occasion>>

/** Mails a code to choose a password, which invalidates the code of an earlier mail. */
export async function mailPasswordCode(
  context: AccountsContext,
  user: User,
  { subject, reason, link, end }: Occasion = FORGOTTEN,
): Promise<void> {
  if (user.email === null) return
  const code = createCode()
  const expiresAt = new Date(context.now().getTime() + CODE_LIVES_MS)
  const changed = await changeUser(context, user, () => ({
    resetPasswordToken: credentialHash(code),
    resetPasswordExpiresAt: expiresAt,
  }))
  if (changed === null || changed.email === null) return
  const { resetPassword } = context.links
  const address = resetPassword === null ? '' : `${link}: ${withCode(resetPassword, code)}\n\n`
  await context.mailer.send({
    to: changed.email,
    subject,
    text: `${reason}\n\n${address}The code is ${code}\n\n${end}\n`,
  })
}

/** @throws ValidationError if the code is wrong, used or expired, ApplicationError if the user is blocked. */
export async function resetUserPassword(
  context: AccountsContext,
  body: unknown,
): Promise<SignedIn> {
  const input = readAccount(RESET, body)
  assertConfirmed(input)
  const deviceId = deviceOf(context, body)
  const resetPasswordToken = credentialHash(readText(input, 'code'))
  const user = await findUser(context, { resetPasswordToken })
  if (user === null || !isCodeAlive(context, user)) throw incorrectCode()
  readAccount(NEW_PASSWORD, input)
  const hash = await context.passwords.hash(readText(input, 'password'))
  const changed = await changeUser(context, user, async (stored, session) => {
    // If two requests use the same code, the second one fails here.
    if (stored.resetPasswordToken !== resetPasswordToken) throw incorrectCode()
    // A code from a mail also proves the address.
    const confirmed = stored.confirmed || context.emailConfirmation
    assertMayEnter(context, { ...stored, confirmed })
    const isFirstProof = confirmed && !stored.confirmed
    const dropped = isFirstProof ? await dropCredentials(context, stored, session) : {}
    return { ...dropped, ...userPasswordOf(context, stored, hash), confirmed }
  })
  return signInChanged(context, changed, deviceId)
}

/** Invalidates all other tokens of the user. @throws ValidationError */
export async function changeUserPassword(
  context: AccountsContext,
  documentId: string,
  body: unknown,
): Promise<SignedIn> {
  const input = readAccount(CHANGE, body)
  assertConfirmed(input)
  const deviceId = deviceOf(context, body)
  const { passwords } = context
  const user = await findUser(context, { documentId })
  const password = readText(input, 'password')
  const current = readText(input, 'currentPassword')
  if (!(await passwords.verify(user?.password ?? null, current))) throw wrongPassword()
  if (current === password) {
    throw new ValidationError('Your new password must be different than your current password')
  }
  readAccount(NEW_PASSWORD, input)
  const hash = await passwords.hash(password)
  const changed = await changeUser(context, { documentId }, (stored) => {
    if (stored.password !== user?.password) throw wrongPassword() // changed by another request
    return userPasswordOf(context, stored, hash)
  })
  return signInChanged(context, changed, deviceId)
}

function withCode(address: string, code: string): string {
  const url = new URL(address)
  url.searchParams.set('code', code)
  return url.href
}

function isCodeAlive({ now }: AccountsContext, { resetPasswordExpiresAt }: User): boolean {
  return resetPasswordExpiresAt !== null && now() < resetPasswordExpiresAt
}

function incorrectCode(): ValidationError {
  return new ValidationError('Incorrect code provided', {}, { code: 'invalid_reset_code' })
}
