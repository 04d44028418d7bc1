import { ApplicationError, ValidationError } from '../../base/errors.ts'
import { readAccount, required, RULES, readText } from './account-input.ts'
import type { AccountsContext } from './accounts.ts'
import { credentialHash } from '../access/credentials.ts'
import { mailConfirmation } from './mail-confirmation.ts'
import { changeUser, findUser } from './users.ts'

const CONFIRMATION = { confirmation: required(RULES.text) }
const RECIPIENT = { email: required(RULES.email) }

export async function confirmEmail(context: AccountsContext, query: unknown): Promise<void> {
  const code = readText(readAccount(CONFIRMATION, query), 'confirmation')
  const confirmationToken = credentialHash(code)
  const user = await findUser(context, { confirmationToken })
  if (user === null) throw invalidToken()
  await changeUser(context, user, (stored) => {
    if (stored.confirmationToken !== confirmationToken) throw invalidToken()
    return { confirmed: true, confirmationToken: null }
  })
}

/** An unknown address succeeds too. @throws ApplicationError if the user is confirmed or blocked. */
export async function sendConfirmation(context: AccountsContext, body: unknown): Promise<string> {
  const email = readText(readAccount(RECIPIENT, body), 'email').toLowerCase()
  const user = await findUser(context, { email: { $eq: email } })
  if (user === null) return email
  if (user.confirmed)
    throw new ApplicationError('Already confirmed', {}, { code: 'already_confirmed' })
  if (user.blocked) throw new ApplicationError('User blocked', {}, { code: 'account_blocked' })
  context.behind(mailConfirmation(context, user))
  return email
}

function invalidToken(): ValidationError {
  return new ValidationError('Invalid token', {}, { code: 'invalid_confirmation_token' })
}
