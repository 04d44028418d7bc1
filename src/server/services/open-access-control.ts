import type { Logger } from 'pino'
import { type Access, openAccess } from '../../people/access/access.ts'
import { type Actions, compileActions } from '../../people/access/actions.ts'
import { keptJwtSecret } from '../../people/access/jwt-secret.ts'
import { type Accounts, openAccounts } from '../../people/accounts/open-accounts.ts'
import type { Mailer } from '../../people/accounts/mailer.ts'
import { openMailer } from '../../people/accounts/open-mailer.ts'
import { openSessions } from '../../people/accounts/sessions.ts'
import { openUserTokens } from '../../people/accounts/user-tokens.ts'
import { openEndUsers, USER } from '../../people/accounts/users.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import {
  type AdministratorsOptions,
  openAdministrators,
} from '../../people/administrators/open-administrators.ts'
import type { Config } from '../../base/config/config.ts'
import type { Base } from './open-base.ts'
import { openUserAttributes } from './open-user-attributes.ts'

export interface AccessControl {
  readonly access: Access
  readonly accounts: Accounts
  readonly administrators: AdministratorsContext
  /** Null without an SMTP server. */
  readonly mailer: Mailer | null
}

export async function openAccessControl(base: Base, log: Logger): Promise<AccessControl> {
  const { config, database, documents } = base
  const { contentType, ids, now } = documents
  const secret = await secretOf(config)
  const { emailConfirmation, registerFields, sessions: lifespans } = config.endUsers
  const attributes = openUserAttributes(documents, registerFields)
  const tokens = openUserTokens(secret, now, lifespans?.accessSeconds)
  const sessions =
    lifespans === null ? null : await openSessions({ db: database, secret, lifespans, now })
  const users = { db: database, plan: contentType(USER), ids, now }
  const onBackgroundError = (err: unknown): void => log.warn({ err }, 'A background task failed')
  const actions = compileActions(base.schema)
  const administrators = await openStaff(base, actions, config.oidc)
  const access = await openAccess(database, actions, {
    rootApiToken: config.secrets.rootApiToken,
    identifyPreview: (token) => administrators.previews.identify(token),
    users: openEndUsers({ ...users, tokens, sessions }),
    onBackgroundError,
  })
  const mailer = await openMailer(config.mail, log)
  const accounts = openAccounts({
    ...users,
    tokens,
    sessions,
    attributes,
    emailConfirmation,
    secret,
    passwords: base.passwords(),
    roles: access.roles,
    mailer,
    links: {
      resetPassword: config.mail.resetPasswordUrl,
      emailConfirmation: `${config.http.publicUrl}/api/auth/email-confirmation`,
    },
    onBackgroundError,
  })
  return { access, accounts, administrators, mailer: config.mail.smtpUrl === null ? null : mailer }
}

export async function openStaff(
  { config, database, passwords, documents: { now } }: Base,
  actions: Actions,
  oidc: AdministratorsOptions['oidc'],
): Promise<AdministratorsContext> {
  const secret = await secretOf(config)
  const { publicUrl } = config.http
  return openAdministrators({
    db: database,
    actions,
    passwords: passwords(),
    secret,
    publicUrl,
    oidc,
    now,
  })
}

async function secretOf({ secrets, dataDir }: Config): Promise<string> {
  return secrets.jwtSecret ?? (await keptJwtSecret(dataDir))
}
