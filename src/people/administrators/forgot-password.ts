import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ApplicationError } from '../../base/errors.ts'
import { readInput } from '../access/input.ts'
import type { Mailer } from '../accounts/mailer.ts'
import { FORGOT_PASSWORD } from './administrator-input.ts'
import type { AdministratorsContext } from './administrators.ts'
import { notePasswordLink } from './note-sign-ins.ts'
import { type AdministratorRow, findStaff } from './rows.ts'
import { requiresPasskey } from './second-factor.ts'
import { studioLink } from './studio-links.ts'

export interface LinkMails {
  /** Null if no mail can be sent. */
  readonly mailer: Mailer | null
  readonly publicUrl: string
}

/** Random delay, so that the load of a mail cannot be measured in later responses. */
const MAX_DELAY_MS = 250

/**
 * Returns the work that mails a link. It runs after the response, so that its time does not reveal whether the address
 * exists. @throws ValidationError, ApplicationError without a mailer
 */
export function forgotAdministratorPassword(
  context: AdministratorsContext,
  { mailer, publicUrl }: LinkMails,
  input: unknown,
): () => Promise<void> {
  const { email } = readInput(FORGOT_PASSWORD, input)
  if (mailer === null) {
    throw new ApplicationError('The server sends no mails', {}, { code: 'mail_not_configured' })
  }
  return async () => {
    await delay(randomInt(MAX_DELAY_MS))
    const { administrators } = await context.versionedCache.current()
    const row = administrators.find((one) => isAddressed(one, email))
    if (row === undefined || (!row.hasTotp && (await requiresPasskey(context, row)))) return
    const token = await context.links.make('password', row._id)
    // A new address revokes links. It may have been stored before this link was.
    const staff = await findStaff(context.db)
    if (!staff.administrators.some((one) => one._id === row._id && isAddressed(one, email))) return
    await notePasswordLink(context.db, row._id)
    const link = studioLink(publicUrl, 'password', token)
    await mailer.send({
      to: row.email,
      subject: 'Reset password',
      text: `Somebody asked to reset your password for the Studio.\n\nChoose a new one here: ${link}\n\nThe link is valid once and for one hour. If you did not ask, ignore this mail.\n`,
    })
  }
}

/** Accounts without a password sign in by passkey or single sign-on. A mailbox must not add another way. */
function isAddressed({ email, password }: AdministratorRow, given: string): boolean {
  return password !== null && email === given.toLowerCase()
}
