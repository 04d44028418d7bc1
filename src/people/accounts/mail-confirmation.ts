import { credentialHash } from '../access/credentials.ts'
import { createCode } from '../sign-in/random-tokens.ts'
import type { Links, Mailer } from './mailer.ts'
import { changeUser, type User, type UsersContext } from './users.ts'

export interface ConfirmationContext extends UsersContext {
  readonly mailer: Mailer
  readonly links: Pick<Links, 'emailConfirmation'>
}

/** Invalidates the code of an earlier mail. */
export async function mailConfirmation(context: ConfirmationContext, user: User): Promise<void> {
  const { email } = user
  if (email === null) return
  const code = createCode()
  await changeUser(context, user, () => ({ confirmationToken: credentialHash(code) }))
  const link = `${context.links.emailConfirmation}?confirmation=${code}`
  await context.mailer.send({
    to: email,
    subject: 'Account confirmation',
    text: `Thank you for registering!\n\nConfirm that this address is yours: ${link}\n\nThe code is ${code}\n`,
  })
}
