import { ApplicationError } from '../../base/errors.ts'
import { inputError } from '../access/input.ts'
import { AUTHENTICATED_ROLE, PUBLIC_ROLE } from '../access/role-rows.ts'
import { createCode } from '../sign-in/random-tokens.ts'
import { assertOnly } from './account-input.ts'
import type { AccountsContext } from './accounts.ts'
import { createUser, getUserOfDocument, updateUser, type UserEditor } from './manage-users.ts'
import { mailPasswordCode, OCCASIONS } from './recover-password.ts'
import type { User } from './users.ts'

/** The users of apps, as administrators manage them. */
export interface UserAdministration {
  readonly accounts: AccountsContext
  /** Whether `mailer` of `accounts` sends mails. */
  readonly sendsMails: boolean
  readonly log: { warn(fields: object, message: string): void }
}

export interface CreatedUser {
  readonly user: User
  /** True if a mail asks the user to choose a password. */
  readonly mailed: boolean
}

type Given = Readonly<Record<string, unknown>>

/**
 * Where mails are sent, a user without a password gets a mail to choose one. The default role is `authenticated`.
 * @throws ValidationError, ApplicationError for a taken address or name, errors of the editor
 */
export async function createByAdministrator(
  { accounts, sendsMails, log }: UserAdministration,
  body: unknown,
  editor: UserEditor,
): Promise<CreatedUser> {
  const given = readGiven(accounts, body)
  const role = await documentIdOfRole(accounts, given['role'] ?? AUTHENTICATED_ROLE)
  const isInvited = sendsMails && given['password'] === undefined
  const password = isInvited ? { password: unknownPassword() } : {}
  const user = await createUser(accounts, { ...given, ...password, role }, editor)
  const mailed = isInvited && (await mailUser({ accounts, log }, user, 'invitation'))
  return { user, mailed }
}

/** @throws NotFoundError, ValidationError, ApplicationError for a taken address or name, errors of the editor */
export async function updateByAdministrator(
  { accounts }: Pick<UserAdministration, 'accounts'>,
  documentId: string,
  body: unknown,
  editor: UserEditor,
): Promise<User> {
  const { id } = await getUserOfDocument(accounts, documentId)
  const given = readGiven(accounts, body)
  const role =
    given['role'] === undefined ? {} : { role: await documentIdOfRole(accounts, given['role']) }
  return updateUser(accounts, String(id), { ...given, ...role }, editor)
}

/** Returns false if the mail server fails. @throws NotFoundError, ApplicationError if no mail can reach the user */
export async function mailPasswordReset(
  { accounts, sendsMails, log }: UserAdministration,
  documentId: string,
): Promise<boolean> {
  const user = await getUserOfDocument(accounts, documentId)
  if (!sendsMails) throw refused('The server sends no mails', 'mail_not_configured')
  if (user.blocked) throw refused('The user is blocked', 'account_blocked')
  if (user.email === null) throw refused('The user has no e-mail address', 'email_missing')
  return mailUser({ accounts, log }, user, 'reset')
}

async function mailUser(
  { accounts, log }: Pick<UserAdministration, 'accounts' | 'log'>,
  user: User,
  occasion: keyof typeof OCCASIONS,
): Promise<boolean> {
  try {
    await mailPasswordCode(accounts, user, OCCASIONS[occasion])
    return true
  } catch (err) {
    log.warn({ err }, 'The mail to choose a password could not be sent')
    return false
  }
}

const KEYS = ['username', 'email', 'password', 'role', 'confirmed', 'blocked']

/** @throws ValidationError for other keys than the ones of users */
function readGiven({ attributes }: AccountsContext, body: unknown): Given {
  assertOnly([...KEYS, ...attributes.names], body)
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Given) : {}
}

/** `public` is the role of callers without a credential. */
async function documentIdOfRole({ roles }: AccountsContext, type: unknown): Promise<string> {
  const ofUsers = (await roles.list()).filter((one) => one.type !== PUBLIC_ROLE)
  const role = ofUsers.find((one) => one.type === type)
  if (role !== undefined) return role.documentId
  throw inputError('role', 'There is no such role of users', type, { code: 'any.unknown' })
}

/** Random, and as long as a hash uses. */
function unknownPassword(): string {
  return createCode().slice(0, 72)
}

function refused(
  message: string,
  code: 'mail_not_configured' | 'account_blocked' | 'email_missing',
): ApplicationError {
  return new ApplicationError(message, {}, { code })
}
