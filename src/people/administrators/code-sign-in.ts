import { readInput } from '../access/input.ts'
import { ForbiddenError, RateLimitError, ValidationError } from '../../base/errors.ts'
import type { Device } from './admin-sessions.ts'
import type { AdministratorsContext } from './administrators.ts'
import { noteFailedSignIn, noteRecoveryCode } from './note-sign-ins.ts'
import type { AdministratorRow } from './rows.ts'
import { requiresPasskey } from './second-factor.ts'
import { type EnteringAdministrator, type NewSession, startAdminSession } from './start-session.ts'
import { isTotpCode, normalizeCode, recoveryCodeHash, totpStepOf } from './totp/totp-codes.ts'
import { SIGN_IN_BY_CODE } from './totp/totp-input.ts'
import { type TotpRow, totpsOf } from './totp/totp-rows.ts'

/** The password was right. A code completes the sign-in. */
export interface PendingSignIn {
  readonly pending: string
  readonly expiresAt: Date
}

const PENDING = /^([0-9a-z]{24})\.([\w-]{72})$/

/** Counts per administrator, so that more sessions or addresses give no more attempts. */
const MAX_WRONG_CODES = 10
const WRONG_CODES_LAST_MS = 60 * 60 * 1_000

/** Starts a session only if the administrator has no second factor. @throws ForbiddenError if only a passkey may */
export async function startSessionOrAskForCode(
  context: AdministratorsContext,
  row: EnteringAdministrator & Pick<AdministratorRow, 'roles'>,
  device: Device,
): Promise<NewSession | PendingSignIn> {
  const totp = await totpsOf(context.db).findOne({ _id: row._id })
  if (totp === null || totp.confirmedAt === null) {
    if (!(await requiresPasskey(context, row))) return startAdminSession(context, row, device, null)
    await noteFailedSignIn(context.db, row._id)
    throw new ForbiddenError('Sign in with your passkey', {}, { code: 'passkey_required' })
  }
  const { challenges } = context
  const challenge = Buffer.from(challenges.make(purposeOf(row))).toString('base64url')
  return { pending: `${row._id}.${challenge}`, expiresAt: challenges.expiryOf(challenge) }
}

/** Null for a token that this server did not sign, and for an expired one. */
export async function administratorOfPending(
  context: Pick<AdministratorsContext, 'challenges' | 'versionedCache'>,
  pending: string,
): Promise<(EnteringAdministrator & { readonly challenge: string }) | null> {
  const [, id, challenge] = PENDING.exec(pending) ?? []
  const { administrators } = await context.versionedCache.current()
  const row = administrators.find(({ _id }) => _id === id)
  if (row === undefined || challenge === undefined) return null
  return context.challenges.isGood(purposeOf(row), challenge) ? { ...row, challenge } : null
}

/**
 * A pending token starts one session, a code is valid once.
 * @throws ValidationError, RateLimitError after ten wrong codes in an hour
 */
export async function signInByCode(
  context: AdministratorsContext,
  input: unknown,
  device: Device,
): Promise<NewSession> {
  const { pending, code } = readInput(SIGN_IN_BY_CODE, input)
  const row = await administratorOfPending(context, pending)
  try {
    if (row === null) throw invalidPending()
    await useCode(context, row, normalizeCode(code))
    if (!(await context.challenges.use(row.challenge))) throw invalidPending()
  } catch (error) {
    if (error instanceof ValidationError) await noteFailedSignIn(context.db, row?._id ?? null)
    throw error
  }
  return startAdminSession(context, row, device, 'code')
}

export function invalidTotpCode(): ValidationError {
  return new ValidationError('This code is not valid', {}, { code: 'invalid_code' })
}

async function useCode(
  context: AdministratorsContext,
  row: EnteringAdministrator,
  code: string,
): Promise<void> {
  const totp = await countAttempt(context, row._id)
  const isRight = isTotpCode(code)
    ? await useTotpCode(context, totp, code)
    : await useRecoveryCode(context, row, code)
  if (!isRight) throw invalidTotpCode()
}

/** Counts before the comparison, so that concurrent attempts are limited too. A right code is subtracted again. */
async function countAttempt(
  { db, now }: AdministratorsContext,
  administrator: string,
): Promise<TotpRow> {
  const rows = totpsOf(db)
  const at = now()
  await rows.updateOne(
    { _id: administrator, attemptsEndAt: { $lte: at } },
    { $set: { attempts: 0, attemptsEndAt: new Date(at.getTime() + WRONG_CODES_LAST_MS) } },
  )
  const open = {
    _id: administrator,
    confirmedAt: { $ne: null },
    attempts: { $lt: MAX_WRONG_CODES },
  }
  const totp = await rows.findOneAndUpdate(open, { $inc: { attempts: 1 } })
  if (totp !== null) return totp
  const closed = await rows.findOne({ _id: administrator, confirmedAt: { $ne: null } })
  if (closed === null) throw invalidPending() // removed after the password
  const secondsLeft = Math.ceil((closed.attemptsEndAt.getTime() - at.getTime()) / 1_000)
  throw new RateLimitError(
    'Too many wrong codes, please try again later.',
    Math.max(1, secondsLeft),
  )
}

/** Of two requests with the same code, one matches `lastStep`. */
async function useTotpCode(
  { db, now, totpSecrets }: AdministratorsContext,
  { _id, secret }: TotpRow,
  code: string,
): Promise<boolean> {
  const opened = totpSecrets.open(_id, secret)
  const step = opened === null ? null : totpStepOf(opened, code, now())
  if (step === null) return false
  const { matchedCount } = await totpsOf(db).updateOne(
    { _id, secret, lastStep: { $lt: step } },
    { $set: { lastStep: step }, $inc: { attempts: -1 } },
  )
  return matchedCount === 1
}

async function useRecoveryCode(
  { db }: AdministratorsContext,
  row: EnteringAdministrator,
  code: string,
): Promise<boolean> {
  const hash = recoveryCodeHash(code)
  const { matchedCount } = await totpsOf(db).updateOne(
    { _id: row._id, recoveryCodes: hash },
    { $pull: { recoveryCodes: hash }, $inc: { attempts: -1 } },
  )
  if (matchedCount === 1) await noteRecoveryCode(db, row)
  return matchedCount === 1
}

function invalidPending(): ValidationError {
  const message = 'This sign-in has expired: sign in again with the password'
  return new ValidationError(message, {}, { code: 'invalid_pending_sign_in' })
}

/** Includes the epoch, so that a new password invalidates pending sign-ins. */
function purposeOf({ _id, epoch }: Pick<EnteringAdministrator, '_id' | 'epoch'>): string {
  return `code ${_id} ${epoch}`
}
