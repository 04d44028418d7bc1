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
  type Administrator,
  type AdministratorsContext,
  changeRow,
  getAdministrator,
  insertAdministrator,
  invalidLink,
  administratorPasswordOf,
  removeOtherWaysIn,
  rowOf,
} from './administrators.ts'
import { noteFailedSignIn, noteSignIn, noteSignOut } from './note-sign-ins.ts'
import { ADMINISTRATOR, type Permission, toPermissions } from './rights.ts'
import { type AdministratorRow, findStaff } from './rows.ts'

export interface SignedInAdministrator {
  readonly administrator: Administrator
  readonly permissions: readonly Permission[]
}

export interface NewSession extends SignedInAdministrator {
  /** Value of the session cookie. */
  readonly token: string
  /** Value of the device cookie. */
  readonly knownDevice: string
}

/** An unknown address takes as long as a wrong password. @throws ValidationError */
export async function signIn(
  context: AdministratorsContext,
  input: unknown,
  device: Device,
): Promise<NewSession> {
  const { email, password } = readInput(SIGN_IN, input)
  const { administrators } = await context.versionedCache.current()
  const row = administrators.find((one) => one.email === email.toLowerCase())
  const isRight = await context.passwords.verify(row?.password ?? null, password)
  if (row === undefined || !isRight) {
    await noteFailedSignIn(context.db, row?._id ?? null)
    throw new ValidationError('Invalid email or password', {}, { code: 'invalid_login' })
  }
  return begin(context, row, device)
}

/** `email` is in lower case. */
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

/**
 * Uses the link printed at the start. Of two concurrent requests, one succeeds.
 * @throws ValidationError
 */
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
  return begin(context, { _id: id, name, epoch: 0 }, device)
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
  return begin(context, row, device)
}

/** Ends all sessions and passkeys. @throws ValidationError */
export async function resetAdministratorPassword(
  context: AdministratorsContext,
  input: unknown,
  device: Device,
): Promise<NewSession> {
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
  return begin(context, row, device)
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
  return describeSignedIn(context, principal.id)
}

/** Returns false if the session does not exist. */
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

export async function begin(
  context: AdministratorsContext,
  row: Pick<AdministratorRow, '_id' | 'name' | 'epoch'>,
  device: Device,
): Promise<NewSession> {
  await noteSignIn(context.db, row)
  const shown = await describeSignedIn(context, row._id)
  const knownDevice = context.knownDevices.make({ id: row._id, epoch: row.epoch })
  return { ...shown, knownDevice, token: await context.sessions.start(row, device) }
}

async function describeSignedIn(
  context: AdministratorsContext,
  id: string,
): Promise<SignedInAdministrator> {
  const administrator = await getAdministrator(context, id)
  const { rights } = await context.versionedCache.current()
  return { administrator, permissions: toPermissions(rights.get(id) ?? new Map()) }
}
