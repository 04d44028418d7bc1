import { readInput } from '../access/input.ts'
import type { AdministratorPrincipal, Principal } from '../access/principal.ts'
import { wrongPassword } from '../sign-in/passwords.ts'
import { NotFoundError, ValidationError } from '../../base/errors.ts'
import {
  FIRST_ADMINISTRATOR,
  PASSWORD_BY_LINK,
  PASSWORD_CHANGE,
  SIGN_IN,
  SIGN_IN_BY_LINK,
} from './administrator-input.ts'
import type { Device } from './admin-sessions.ts'
import {
  type AdministratorsContext,
  changeRow,
  insertAdministrator,
  invalidLink,
  administratorPasswordOf,
  removeOtherWaysIn,
  rowOf,
} from './administrators.ts'
import { type PendingSignIn, startSessionOrAskForCode } from './code-sign-in.ts'
import { noteFailedSignIn, noteSignOut } from './note-sign-ins.ts'
import { ADMINISTRATOR } from './rights.ts'
import { findStaff } from './rows.ts'
import {
  describeSignedIn,
  type NewSession,
  type SignedInAdministrator,
  startAdminSession,
} from './start-session.ts'

/** An unknown address takes as long as a wrong password. @throws ValidationError */
export async function signIn(
  context: AdministratorsContext,
  input: unknown,
  device: Device,
): Promise<NewSession | PendingSignIn> {
  const { email, password } = readInput(SIGN_IN, input)
  const { administrators } = await context.versionedCache.current()
  const row = administrators.find((one) => one.email === email.toLowerCase())
  const isRight = await context.passwords.verify(row?.password ?? null, password)
  if (row === undefined || !isRight) {
    await noteFailedSignIn(context.db, row?._id ?? null)
    throw new ValidationError('Invalid email or password', {}, { code: 'invalid_login' })
  }
  return startSessionOrAskForCode(context, row, device)
}

export async function idOfEmail(
  { versionedCache }: Pick<AdministratorsContext, 'versionedCache'>,
  email: string,
): Promise<string | null> {
  const { administrators } = await versionedCache.current()
  return administrators.find((row) => row.email === email)?._id ?? null
}

export async function isFirstWanted({ versionedCache }: AdministratorsContext): Promise<boolean> {
  return (await versionedCache.current()).administrators.length === 0
}

/** Uses the link printed at the start. Of two concurrent requests, one succeeds. @throws ValidationError */
export async function signUpFirst(
  context: AdministratorsContext,
  input: unknown,
  device: Device,
): Promise<NewSession> {
  const { token, password, ...values } = readInput(FIRST_ADMINISTRATOR, input)
  if (!(await isFirstWanted(context))) throw invalidLink()
  const hash = await context.passwords.hash(password)
  const { id, name } = await byLink(context, () =>
    context.versionedCache.change(async (session) => {
      const staff = await findStaff(context.db, session)
      const link = await context.links.use('first', token, session)
      if (link === null || staff.administrators.length > 0) throw invalidLink()
      const first = { ...values, roles: [ADMINISTRATOR], password: hash }
      return insertAdministrator(context, staff, first, session)
    }),
  )
  return startAdminSession(context, { _id: id, name, epoch: 0 }, device, null)
}

/** @throws ValidationError */
export async function signInByLink(
  context: AdministratorsContext,
  input: unknown,
  device: Device,
): Promise<NewSession> {
  const { token } = readInput(SIGN_IN_BY_LINK, input)
  const row = await byLink(context, () =>
    context.db.transact(async (session) => {
      const link = await context.links.use('sign-in', token, session)
      const staff = await findStaff(context.db, session)
      const row = staff.administrators.find(({ _id }) => _id === link?.administrator)
      if (row === undefined) throw invalidLink()
      return row
    }),
  )
  return startAdminSession(context, row, device, 'link')
}

/** Ends all sessions and passkeys. Keeps the second factor, because a mailbox may be lost too. @throws ValidationError */
export async function resetAdministratorPassword(
  context: AdministratorsContext,
  input: unknown,
  device: Device,
): Promise<NewSession | PendingSignIn> {
  const { token, password } = readInput(PASSWORD_BY_LINK, input)
  const hash = await context.passwords.hash(password)
  const row = await byLink(context, () =>
    context.versionedCache.change(async (session) => {
      const link = await context.links.use('password', token, session)
      const staff = await findStaff(context.db, session)
      const row = staff.administrators.find(({ _id }) => _id === link?.administrator)
      if (row === undefined) throw invalidLink()
      const changes = administratorPasswordOf(row, hash)
      await changeRow(context, staff, row, changes, session)
      await removeOtherWaysIn(context, row._id, session)
      return { ...row, ...changes }
    }),
  )
  await context.sessions.endAll(row._id, null)
  return startSessionOrAskForCode(context, row, device)
}

/** Ends all other sessions. Returns the new token of the device. @throws ValidationError */
export async function changeAdministratorPassword(
  context: AdministratorsContext,
  { id, session: current }: AdministratorPrincipal,
  input: unknown,
): Promise<string> {
  const { currentPassword, password } = readInput(PASSWORD_CHANGE, input)
  const known = rowOf(await findStaff(context.db), id)
  if (!(await context.passwords.verify(known.password, currentPassword))) throw wrongPassword()
  const hash = await context.passwords.hash(password)
  const { epoch } = await context.versionedCache.change(async (session) => {
    const staff = await findStaff(context.db, session)
    const row = rowOf(staff, id)
    if (row.password !== known.password) throw wrongPassword() // changed by another request
    const changes = administratorPasswordOf(row, hash)
    await changeRow(context, staff, row, changes, session)
    await context.links.revoke(id, session)
    return changes
  })
  await context.sessions.endAll(id, { id: current, epoch })
  return context.knownDevices.make({ id, epoch })
}

/** @throws NotFoundError for root, which has no session */
export async function showSession(
  context: AdministratorsContext,
  principal: Principal,
): Promise<SignedInAdministrator> {
  if (principal.kind !== 'administrator') throw new NotFoundError('There is no session')
  return describeSignedIn(context, principal.id, principal.lacksSecondFactor)
}

export async function signOut(
  { db, sessions }: AdministratorsContext,
  administrator: string,
  session: string,
): Promise<boolean> {
  const ended = await sessions.end(administrator, session)
  if (ended) await noteSignOut(db, administrator)
  return ended
}

/** An invalid link counts as a failed sign-in. */
async function byLink<T>({ db }: AdministratorsContext, enter: () => Promise<T>): Promise<T> {
  try {
    return await enter()
  } catch (error) {
    if (error instanceof ValidationError) await noteFailedSignIn(db, null)
    throw error
  }
}
