import type { Logger } from 'pino'
import { type Access, openAccess } from '../../people/access/access.ts'
import { type Actions, compileActions } from '../../people/access/actions.ts'
import { type Accounts, openAccounts } from '../../people/accounts/open-accounts.ts'
import type { Mailer } from '../../people/accounts/mailer.ts'
import { openDeletedUsers } from '../../content/deleted-users/user-content-rows.ts'
import { openMailer } from '../../people/accounts/open-mailer.ts'
import { ensureIdentities } from '../../people/identities/identity-rows.ts'
import { openProviders } from '../../people/identities/providers.ts'
import { openSignInCodes } from '../../people/identities/sign-in-codes.ts'
import { openSessions } from '../../people/accounts/sessions.ts'
import { openUserTokens } from '../../people/accounts/user-tokens.ts'
import { storeAnonymousUser } from '../../people/accounts/anonymous-sign-in.ts'
import { type AnonymousUsers, openAnonymousUsers } from '../../people/accounts/anonymous-users.ts'
import { openEndUsers, USER, type UserReference } from '../../people/accounts/users.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import {
  type AdministratorsOptions,
  openAdministrators,
} from '../../people/administrators/open-administrators.ts'
import { findUnknownRoles } from '../../people/administrators/staff.ts'
import { openProvided } from '../extensions/open-provided.ts'
import type { Base } from './open-base.ts'
import { secretOf } from './deployment-secret.ts'
import { openUserAttributes } from './open-user-attributes.ts'

export interface AccessControl {
  readonly access: Access
  readonly accounts: Accounts
  readonly administrators: AdministratorsContext
  /** Null without an SMTP server and without a mailer of an extension. */
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
  const actions = compileActions(base.schema, base.extensions.permissions)
  const administrators = await openStaff(base, actions, config.oidc)
  await warnOfUnknownRoles(administrators, log)
  const anonymous = await openAnonymous(base, secret)
  const store = { db: database, anonymous, attributes }
  const storeAnonymous = (user: UserReference) => storeAnonymousUser(store, user)
  const access = await openAccess(database, actions, {
    rootApiToken: config.secrets.rootApiToken,
    identifyPreview: (token) => administrators.previews.identify(token),
    users: openEndUsers({ ...users, tokens, sessions, anonymous, storeAnonymous }),
    anonymousUsers: anonymous !== null,
    onBackgroundError,
  })
  const { mailer, isSending } = await openAnyMailer(base, log)
  const accounts = openAccounts({
    ...users,
    deletedUsers: openDeletedUsers(documents),
    anonymous,
    tokens,
    sessions,
    attributes,
    emailConfirmation,
    linkByEmail: config.endUsers.linkByEmail,
    providers: await openIdentities(base),
    codes: await openSignInCodes({ db: database, secret, now }),
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
  return { access, accounts, administrators, mailer: isSending ? mailer : null }
}

async function openIdentities({ config, database: db, documents: { now } }: Base) {
  await ensureIdentities(db)
  const { signInProviders: configured } = config.endUsers
  return openProviders({ db, configured, publicUrl: config.http.publicUrl, now })
}

async function openAnonymous(
  { config, database: db, documents: { now } }: Base,
  secret: string,
): Promise<AnonymousUsers | null> {
  const { anonymous: limits } = config.endUsers
  return limits === null ? null : openAnonymousUsers({ db, secret, limits, now })
}

async function openAnyMailer(
  { config, extensions }: Base,
  log: Logger,
): Promise<{ readonly mailer: Mailer; readonly isSending: boolean }> {
  const provided = extensions.mailer
  if (provided === null) {
    return { mailer: await openMailer(config.mail, log), isSending: config.mail.smtpUrl !== null }
  }
  return { mailer: await openProvided(provided, 'mailer', ['send']), isSending: true }
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
    secondFactor: config.administrators.secondFactor,
    oidc,
    now,
  })
}

async function warnOfUnknownRoles(
  { versionedCache, secondFactor }: AdministratorsContext,
  log: Logger,
): Promise<void> {
  if (typeof secondFactor === 'string') return
  const unknown = findUnknownRoles(secondFactor, await versionedCache.current())
  if (unknown.length > 0) log.warn({ roles: unknown }, 'ADMIN_SECOND_FACTOR names unknown roles')
}
