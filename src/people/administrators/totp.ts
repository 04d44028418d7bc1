import { readInput } from '../access/input.ts'
import type { AdministratorPrincipal, Principal } from '../access/principal.ts'
import { wrongPassword } from '../sign-in/passwords.ts'
import {
  ApplicationError,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
} from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import {
  type Administrator,
  type AdministratorsContext,
  changeRow,
  isOwn,
  rowOf,
} from './administrators.ts'
import { invalidTotpCode } from './code-sign-in.ts'
import { type AdministratorRow, findStaff, type Staff } from './rows.ts'
import { assertMayChangeFactors } from './second-factor.ts'
import { assertMayTakeOver } from './staff.ts'
import {
  createRecoveryCodes,
  createTotpSecret,
  normalizeCode,
  recoveryCodeHash,
  totpStepOf,
} from './totp/totp-codes.ts'
import { TOTP_CONFIRMATION, TOTP_WANTED } from './totp/totp-input.ts'
import { type TotpRow, totpsOf } from './totp/totp-rows.ts'

export interface TotpState {
  readonly enabled: boolean
  readonly confirmedAt: Date | null
  readonly recoveryCodesLeft: number
}

export interface NewTotp {
  readonly secret: string
  readonly uri: string
  readonly expiresAt: Date
}

export interface RecoveryCodes {
  readonly recoveryCodes: readonly string[]
}

const ISSUER = 'Quire'
const CONFIRM_WITHIN_MS = 10 * 60 * 1_000
const RECENT_MS = 10 * 60 * 1_000

export async function showTotp(
  { db }: AdministratorsContext,
  administrator: string,
): Promise<TotpState> {
  const row = await totpsOf(db).findOne({ _id: administrator, confirmedAt: { $ne: null } })
  if (row === null) return { enabled: false, confirmedAt: null, recoveryCodesLeft: 0 }
  const { confirmedAt, recoveryCodes } = row
  return { enabled: true, confirmedAt, recoveryCodesLeft: recoveryCodes.length }
}

/** Returns the secret, which is never shown again. A code must confirm it within ten minutes. @throws ValidationError */
export async function beginTotp(
  context: AdministratorsContext,
  { id }: AdministratorPrincipal,
  input: unknown,
): Promise<NewTotp> {
  const { db, now, totpSecrets } = context
  const { currentPassword } = readInput(TOTP_WANTED, input)
  const owner = rowOf(await findStaff(db), id)
  if (!(await context.passwords.verify(owner.password, currentPassword))) throw wrongPassword()
  const { bytes, text, uri } = createTotpSecret(ISSUER, owner.email)
  const createdAt = now()
  const row: TotpRow = {
    _id: id,
    secret: totpSecrets.seal(id, bytes),
    createdAt,
    confirmedAt: null,
    lastStep: 0,
    recoveryCodes: [],
    attempts: 0,
    attemptsEndAt: createdAt,
  }
  await db.transact(async (session) => {
    const known = await totpsOf(db).findOne({ _id: id }, { session })
    if (known !== null && known.confirmedAt !== null) throw alreadyEnabled()
    if (known !== null) await totpsOf(db).deleteOne({ _id: id }, { session })
    await totpsOf(db).insertOne(row, { session })
  })
  return { secret: text, uri, expiresAt: new Date(createdAt.getTime() + CONFIRM_WITHIN_MS) }
}

/** Ends all other sessions. Returns the new token of the device. @throws ValidationError, UnauthorizedError */
export async function confirmTotp(
  context: AdministratorsContext,
  principal: AdministratorPrincipal,
  input: unknown,
): Promise<RecoveryCodes & { readonly knownDevice: string }> {
  const { id, session: current, epoch } = principal
  const code = normalizeCode(readInput(TOTP_CONFIRMATION, input).code)
  const codes = newCodes()
  const changed = await context.versionedCache.change(async (session) => {
    const staff = await findStaff(context.db, session)
    const owner = rowOf(staff, id)
    if (epoch < owner.epoch) throw new UnauthorizedError('Invalid credentials')
    await assertMayChangeFactors(context.db, principal, session)
    const lastStep = await stepOfNew(context, id, code, session)
    const confirmedAt = context.now()
    const set = { confirmedAt, lastStep, recoveryCodes: codes.hashes, attemptsEndAt: confirmedAt }
    await totpsOf(context.db).updateOne({ _id: id }, { $set: set }, { session })
    const next = { hasTotp: true, epoch: owner.epoch + 1 }
    await changeRow(context, staff, owner, next, session)
    return next
  })
  await context.sessions.endAll(id, { id: current, epoch: changed.epoch })
  const knownDevice = context.knownDevices.make({ id, epoch: changed.epoch })
  return { recoveryCodes: codes.shown, knownDevice }
}

/** Invalidates the earlier codes. @throws ForbiddenError without a recent sign-in, NotFoundError */
export async function renewRecoveryCodes(
  context: AdministratorsContext,
  principal: AdministratorPrincipal,
): Promise<RecoveryCodes> {
  await assertRecent(context, principal)
  const { hashes, shown } = newCodes()
  await context.versionedCache.change(async (session) => {
    const staff = await findStaff(context.db, session)
    const { matchedCount } = await totpsOf(context.db).updateOne(
      { _id: principal.id, confirmedAt: { $ne: null } },
      { $set: { recoveryCodes: hashes } },
      { session },
    )
    if (matchedCount === 0) throw notEnabled()
    await changeRow(context, staff, rowOf(staff, principal.id), {}, session)
  })
  return { recoveryCodes: shown }
}

/** @throws ForbiddenError without a recent sign-in, NotFoundError */
export async function removeTotp(
  context: AdministratorsContext,
  principal: AdministratorPrincipal,
): Promise<void> {
  await assertRecent(context, principal)
  await context.versionedCache.change(async (session) => {
    const staff = await findStaff(context.db, session)
    await remove(context, staff, rowOf(staff, principal.id), session)
  })
}

/** For a lost phone. @throws ForbiddenError also for the actor's own, NotFoundError */
export async function resetTotp(
  context: AdministratorsContext,
  actor: Principal,
  id: string,
): Promise<Administrator> {
  if (isOwn(actor, id)) throw new ForbiddenError('Remove your own with DELETE /admin/me/totp')
  return context.versionedCache.change(async (session) => {
    const staff = await findStaff(context.db, session)
    const row = rowOf(staff, id)
    assertMayTakeOver(context, staff, actor, row)
    return remove(context, staff, row, session)
  })
}

async function remove(
  context: AdministratorsContext,
  staff: Staff,
  row: AdministratorRow,
  session: Session,
): Promise<Administrator> {
  const confirmed = { _id: row._id, confirmedAt: { $ne: null } }
  const { deletedCount } = await totpsOf(context.db).deleteOne(confirmed, { session })
  if (deletedCount === 0) throw notEnabled()
  return changeRow(context, staff, row, { hasTotp: false }, session)
}

async function stepOfNew(
  { db, now, totpSecrets }: AdministratorsContext,
  id: string,
  code: string,
  session: Session,
): Promise<number> {
  const row = await totpsOf(db).findOne({ _id: id }, { session })
  if (row === null) throw invalidTotpCode()
  if (row.confirmedAt !== null) throw alreadyEnabled()
  const at = now()
  const secret = totpSecrets.open(id, row.secret)
  if (secret === null || at.getTime() - row.createdAt.getTime() > CONFIRM_WITHIN_MS) {
    throw invalidTotpCode()
  }
  const step = totpStepOf(secret, code, at)
  if (step === null) throw invalidTotpCode()
  return step
}

function newCodes() {
  const shown = createRecoveryCodes()
  return { shown, hashes: shown.map(recoveryCodeHash) }
}

/** An unattended browser must not be enough to remove the second factor. */
async function assertRecent(
  { sessions, now }: AdministratorsContext,
  { id, session }: AdministratorPrincipal,
): Promise<void> {
  const startedAt = await sessions.startedAt(id, session)
  if (startedAt !== null && now().getTime() - startedAt.getTime() <= RECENT_MS) return
  const message = 'Sign in again: the session is older than ten minutes'
  throw new ForbiddenError(message, {}, { code: 'recent_sign_in_required' })
}

function alreadyEnabled(): ApplicationError {
  return new ApplicationError('Codes of an app are already required', {}, { code: 'totp_enabled' })
}

function notEnabled(): NotFoundError {
  return new NotFoundError('No codes of an app are required')
}
