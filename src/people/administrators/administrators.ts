import type { Actions } from '../access/actions.ts'
import { readInput } from '../access/input.ts'
import type { RuleBinder } from '../rules/rule-binder.ts'
import type { KnownDevices } from '../sign-in/known-devices.ts'
import type { Principal } from '../access/principal.ts'
import { assertCurrentPassword, wrongPassword, type Passwords } from '../sign-in/passwords.ts'
import type { SecondFactorPolicy } from '../../base/config/sections.ts'
import { because, ForbiddenError, NotFoundError, ValidationError } from '../../base/errors.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import type { VersionedCache } from '../../mongo/system/versioned-cache.ts'
import { newDocumentId } from '../../mongo/versions/document-id.ts'
import {
  ADMINISTRATOR_CHANGE,
  type AdministratorInput,
  NEW_ADMINISTRATOR,
  OWN_CHANGE,
  type Theme,
} from './administrator-input.ts'
import type { AdminSessions } from './admin-sessions.ts'
import type { Challenges } from './passkeys/challenges.ts'
import type { OneTimeLinks } from './one-time-links.ts'
import type { IdentityProvider } from './oidc/identity-provider.ts'
import type { PreviewTokens } from './preview-tokens.ts'
import type { Presence } from './presence.ts'
import { passkeysOf } from './passkeys/passkey-rows.ts'
import type { SecretBox } from './totp/secret-box.ts'
import { totpsOf } from './totp/totp-rows.ts'
import type { RelyingParty } from './passkeys/relying-party.ts'
import type { RecentWork } from './recent-work.ts'
import { notePasswordLink } from './note-sign-ins.ts'
import type { ListViews } from './list-views.ts'
import type { Preferences } from './preferences.ts'
import { type AdministratorRow, administratorRows, findStaff, type Staff } from './rows.ts'
import {
  assertEmailFree,
  assertMayGive,
  assertMayTakeOver,
  assertOneStays,
  type KnownStaff,
} from './staff.ts'

export const ADMINISTRATOR_TYPE = 'admin::user'

export interface AdministratorsContext {
  readonly db: Database
  readonly actions: Actions
  readonly versionedCache: VersionedCache<KnownStaff>
  readonly binder: RuleBinder
  readonly sessions: AdminSessions
  readonly links: OneTimeLinks
  readonly preferences: Preferences
  readonly listViews: ListViews
  readonly recent: RecentWork
  readonly presence: Presence
  readonly previews: PreviewTokens
  readonly challenges: Challenges
  readonly totpSecrets: SecretBox
  readonly knownDevices: KnownDevices
  readonly relyingParty: RelyingParty | null
  readonly identityProvider: IdentityProvider | null
  readonly passwords: Passwords
  readonly secondFactor: SecondFactorPolicy
  readonly now: () => Date
}

export interface Administrator {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly roles: readonly string[]
  readonly language: string | null
  readonly theme: Theme | null
  readonly hasPassword: boolean
  readonly hasTotp: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export async function listAdministrators({
  versionedCache,
}: AdministratorsContext): Promise<readonly Administrator[]> {
  return (await versionedCache.current()).administrators.map(toAdministrator)
}

/** @throws NotFoundError */
export async function getAdministrator(
  { versionedCache }: AdministratorsContext,
  id: string,
): Promise<Administrator> {
  return toAdministrator(rowOf(await versionedCache.current(), id))
}

/** @throws ValidationError, ForbiddenError for permissions that the actor does not have */
export async function createAdministrator(
  context: AdministratorsContext,
  actor: Principal,
  input: unknown,
): Promise<Administrator> {
  const { password, ...wanted } = readInput(NEW_ADMINISTRATOR, input)
  const hash = password === undefined ? null : await context.passwords.hash(password)
  return context.versionedCache.change(async (session) => {
    const staff = await findStaff(context.db, session)
    assertMayGive(context, staff, actor, wanted.roles)
    return insertAdministrator(context, staff, { ...wanted, password: hash }, session)
  })
}

/** Must run in the transaction that read `staff`. @throws ValidationError */
export async function insertAdministrator(
  { db, now }: Pick<AdministratorsContext, 'db' | 'now'>,
  staff: Staff,
  values: Pick<AdministratorRow, 'name' | 'email' | 'roles' | 'password' | 'oidc'>,
  session: Session,
): Promise<Administrator> {
  const email = values.email.toLowerCase()
  assertEmailFree(staff, email, null)
  const at = now()
  const row: AdministratorRow = {
    ...values,
    _id: newDocumentId(),
    email,
    language: null,
    epoch: 0,
    createdAt: at,
    updatedAt: at,
  }
  await administratorRows(db).insertOne(row, { session })
  noteRow(session, 'put', { type: ADMINISTRATOR_TYPE, documentId: row._id })
  return toAdministrator(row)
}

/**
 * Actors need all permissions of the administrator, because a new password would grant them. A new password also ends
 * all sessions, passkeys and links. Actors need their current password to change their own address.
 * @throws NotFoundError, ValidationError, ForbiddenError, ApplicationError for the last administrator
 */
export async function updateAdministrator(
  context: AdministratorsContext,
  actor: Principal,
  id: string,
  input: unknown,
): Promise<Administrator> {
  const { password, currentPassword, ...given } = readInput(ADMINISTRATOR_CHANGE, input)
  const wanted = ofInput(given)
  if (password !== undefined) assertNotOwn(actor, id)
  const known = rowOf(await findStaff(context.db), id)
  const isOwnAddress = isOwn(actor, id) && (wanted.email ?? known.email) !== known.email
  if (isOwnAddress) await assertCurrentPassword(context.passwords, known, currentPassword)
  const hash = password === undefined ? null : await context.passwords.hash(password)
  const changed = await context.versionedCache.change(async (session) => {
    const staff = await findStaff(context.db, session)
    const row = rowOf(staff, id)
    if (isOwnAddress && row.password !== known.password) throw wrongPassword() // changed by another request
    assertMayTakeOver(context, staff, actor, row)
    const added = (wanted.roles ?? []).filter((type) => !row.roles.includes(type))
    assertMayGive(context, staff, actor, added)
    const changes = { ...wanted, ...(hash !== null && administratorPasswordOf(row, hash)) }
    const changed = await changeRow(context, staff, row, changes, session)
    if (hash !== null) await removeOtherWaysIn(context, id, session)
    // A pending link may be in the mailbox of the previous address.
    else if (changed.email !== row.email) await context.links.revoke(id, session)
    return changed
  })
  if (hash !== null) await context.sessions.endAll(id, null)
  return changed
}

/** @throws NotFoundError, ForbiddenError, ApplicationError for the last administrator */
export async function removeAdministrator(
  context: AdministratorsContext,
  actor: Principal,
  id: string,
): Promise<Administrator> {
  const { db, versionedCache, sessions, preferences, listViews, recent } = context
  const removed = await versionedCache.change(async (session) => {
    const staff = await findStaff(db, session)
    const row = rowOf(staff, id)
    assertMayTakeOver(context, staff, actor, row)
    assertOneStays(staff, row, null)
    await administratorRows(db).deleteOne({ _id: id }, { session })
    await removeOtherWaysIn(context, id, session)
    await totpsOf(db).deleteOne({ _id: id }, { session })
    noteRow(session, 'delete', { type: ADMINISTRATOR_TYPE, documentId: id })
    return toAdministrator(row)
  })
  await sessions.endAll(id, null)
  await preferences.removeAll(id)
  await listViews.removeAll(id)
  await recent.removeAll(id)
  return removed
}

export async function updateOwn(
  context: AdministratorsContext,
  id: string,
  input: unknown,
): Promise<Administrator> {
  const wanted = readInput(OWN_CHANGE, input)
  return context.versionedCache.change(async (session) => {
    const staff = await findStaff(context.db, session)
    return changeRow(context, staff, rowOf(staff, id), wanted, session)
  })
}

/** @throws NotFoundError, ForbiddenError also for the actor's own password */
export async function makePasswordToken(
  context: AdministratorsContext,
  actor: Principal,
  id: string,
): Promise<string> {
  assertNotOwn(actor, id)
  const staff = await findStaff(context.db)
  assertMayTakeOver(context, staff, actor, rowOf(staff, id))
  await notePasswordLink(context.db, id)
  return context.links.make('password', id)
}

export async function changeRow(
  { db, now }: Pick<AdministratorsContext, 'db' | 'now'>,
  staff: Staff,
  row: AdministratorRow,
  changes: Partial<Omit<AdministratorRow, '_id'>>,
  session: Session,
): Promise<Administrator> {
  const { _id, ...changed } = { ...row, ...changes, updatedAt: now() }
  if (changed.email !== row.email) assertEmailFree(staff, changed.email, _id)
  assertOneStays(staff, row, changed.roles)
  await administratorRows(db).updateOne({ _id }, { $set: changed }, { session })
  noteRow(session, 'put', { type: ADMINISTRATOR_TYPE, documentId: _id })
  return toAdministrator({ _id, ...changed })
}

export async function removeOtherWaysIn(
  { db, links }: Pick<AdministratorsContext, 'db' | 'links'>,
  administrator: string,
  session: Session,
): Promise<void> {
  await passkeysOf(db).deleteMany({ administrator }, { session })
  await links.revoke(administrator, session)
}

/** The new epoch ends existing sessions. */
export function administratorPasswordOf({ epoch }: AdministratorRow, hash: string) {
  return { password: hash, epoch: epoch + 1 }
}

export function rowOf(
  { administrators }: Pick<Staff, 'administrators'>,
  id: string,
): AdministratorRow {
  const row = administrators.find(({ _id }) => _id === id)
  if (row === undefined) throw new NotFoundError('There is no such administrator')
  return row
}

/** Lists the fields explicitly, so that the hash cannot leak. */
export function toAdministrator(row: AdministratorRow): Administrator {
  return {
    id: row._id,
    name: row.name,
    email: row.email,
    roles: row.roles,
    language: row.language,
    theme: row.theme ?? null,
    hasPassword: row.password !== null,
    hasTotp: row.hasTotp === true,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

function ofInput({ email, ...rest }: Partial<Omit<AdministratorInput, 'password'>>) {
  return { ...rest, ...(email !== undefined && { email: email.toLowerCase() }) }
}

export function isOwn(actor: Principal, id: string): boolean {
  return actor.kind === 'administrator' && actor.id === id
}

/** Otherwise an attacker with a session could lock the owner out. */
function assertNotOwn(actor: Principal, id: string): void {
  if (!isOwn(actor, id)) return
  const message = 'Change your own password with POST /admin/me/password'
  throw new ForbiddenError(message, {}, because(message, 'password.own'))
}

export function invalidLink(): ValidationError {
  return new ValidationError('This link is no longer valid', {}, { code: 'invalid_link' })
}
