import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { readInput } from '../access/input.ts'
import type { AdministratorPrincipal } from '../access/principal.ts'
import { assertCurrentPassword } from '../sign-in/passwords.ts'
import { createId } from '../sign-in/random-tokens.ts'
import { because, NotFoundError, UnauthorizedError, ValidationError } from '../../base/errors.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { ADMINISTRATOR_TYPE, type AdministratorsContext, rowOf } from './administrators.ts'
import type { Purpose } from './passkeys/challenges.ts'
import { NEW_PASSKEY, PASSKEY_CHANGE, PASSKEY_WANTED } from './passkeys/passkey-input.ts'
import { passkeyRowId, type PasskeyRow, passkeysOf } from './passkeys/passkey-rows.ts'
import type { RelyingParty } from './passkeys/relying-party.ts'
import { assertMayChangeFactors } from './second-factor.ts'
import { findStaff } from './rows.ts'

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly backedUp: boolean
  readonly createdAt: Date
  readonly usedAt: Date | null
}

const MAX_PASSKEYS = 20

export async function listPasskeys(
  { db }: AdministratorsContext,
  administrator: string,
): Promise<readonly Passkey[]> {
  return (await findOf(db, administrator)).map(toPasskey)
}

/** @throws ValidationError for a wrong password, NotFoundError if passkeys are not available */
export async function beginPasskey(
  context: AdministratorsContext,
  { id, epoch }: AdministratorPrincipal,
  input: unknown,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { currentPassword } = readInput(PASSKEY_WANTED, input)
  const rp = partyOf(context)
  const row = rowOf(await findStaff(context.db), id)
  await assertCurrentPassword(context.passwords, row, currentPassword)
  const known = await findOf(context.db, id)
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  return generateRegistrationOptions({
    rpName: 'Quire',
    rpID: rp.id,
    userName: row.email,
    userDisplayName: row.name,
    userID: new Uint8Array(Buffer.from(id)),
    challenge: context.challenges.make(purposeOf(id, epoch)),
    excludeCredentials: known.map(({ credential, transports }) => ({
      id: credential,
      transports: [...transports],
    })),
    // The passkey replaces name and password, so it must be discoverable and verify the user.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** @throws ValidationError, UnauthorizedError if a new password has ended the session */
export async function addPasskey(
  context: AdministratorsContext,
  principal: AdministratorPrincipal,
  input: unknown,
): Promise<Passkey> {
  const { id: administrator, epoch } = principal
  const { name, response } = readInput(NEW_PASSKEY, input)
  const made = await verify(context, purposeOf(administrator, epoch), response)
  const row: PasskeyRow = {
    ...made,
    id: createId(),
    administrator,
    name,
    createdAt: context.now(),
    usedAt: null,
  }
  await context.versionedCache.change(async (session) => {
    const owner = rowOf(await findStaff(context.db, session), administrator)
    if (epoch < owner.epoch) throw new UnauthorizedError('Invalid credentials')
    await assertMayChangeFactors(context.db, principal, session)
    const rows = passkeysOf(context.db)
    if ((await rows.countDocuments({ administrator }, { session })) >= MAX_PASSKEYS) {
      const message = `There can be at most ${MAX_PASSKEYS} passkeys`
      throw new ValidationError(
        message,
        {},
        because(message, 'any.tooMany', { limit: MAX_PASSKEYS }),
      )
    }
    if ((await rows.findOne({ _id: row._id }, { session })) !== null) throw invalidPasskey()
    await rows.insertOne(row, { session })
    note(session, administrator)
  })
  await context.sessions.provePasskey(administrator, principal.session)
  return toPasskey(row)
}

/** @throws NotFoundError */
export async function renamePasskey(
  context: AdministratorsContext,
  principal: AdministratorPrincipal,
  id: string,
  input: unknown,
): Promise<Passkey> {
  const { name } = readInput(PASSKEY_CHANGE, input)
  return change(context, principal, id, async (row, session) => {
    await passkeysOf(context.db).updateOne({ _id: row._id }, { $set: { name } }, { session })
    return { ...row, name }
  })
}

/** @throws NotFoundError */
export async function removePasskey(
  context: AdministratorsContext,
  principal: AdministratorPrincipal,
  id: string,
): Promise<Passkey> {
  return change(context, principal, id, async (row, session) => {
    await passkeysOf(context.db).deleteOne({ _id: row._id }, { session })
    return row
  })
}

export function partyOf({ relyingParty }: AdministratorsContext): RelyingParty {
  if (relyingParty !== null) return relyingParty
  throw new NotFoundError('Passkeys require a host name and HTTPS')
}

/** The same error for every cause. */
export function invalidPasskey(): ValidationError {
  return new ValidationError('This passkey is not valid here', {}, { code: 'invalid_passkey' })
}

async function change(
  { db, versionedCache }: AdministratorsContext,
  principal: AdministratorPrincipal,
  id: string,
  work: (row: PasskeyRow, session: Session) => Promise<PasskeyRow>,
): Promise<Passkey> {
  const administrator = principal.id
  return versionedCache.change(async (session) => {
    await assertMayChangeFactors(db, principal, session)
    const row = await passkeysOf(db).findOne({ administrator, id }, { session })
    if (row === null) throw new NotFoundError('There is no such passkey')
    note(session, administrator)
    return toPasskey(await work(row, session))
  })
}

function note(session: Session, administrator: string): void {
  noteRow(session, 'put', { type: ADMINISTRATOR_TYPE, documentId: administrator })
}

async function verify(
  context: AdministratorsContext,
  purpose: Purpose,
  response: RegistrationResponseJSON,
): Promise<
  Pick<PasskeyRow, '_id' | 'credential' | 'publicKey' | 'counter' | 'transports' | 'backedUp'>
> {
  const rp = partyOf(context)
  const { challenges } = context
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const given = { challenge: '' }
  const verified = await orInvalid(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => {
        given.challenge = challenge
        return challenges.isGood(purpose, challenge)
      },
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      requireUserVerification: true,
    }),
  )
  if (!verified.verified || !(await challenges.use(given.challenge))) throw invalidPasskey()
  const { credential, credentialBackedUp } = verified.registrationInfo
  return {
    _id: passkeyRowId(credential.id),
    credential: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: credential.transports ?? [],
    backedUp: credentialBackedUp,
  }
}

/** The library throws plain errors for invalid input. */
export async function orInvalid<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch {
    throw invalidPasskey()
  }
}

function findOf(db: AdministratorsContext['db'], administrator: string): Promise<PasskeyRow[]> {
  return passkeysOf(db).find({ administrator }).sort({ createdAt: 1, _id: 1 }).toArray()
}

/** Includes the epoch, so that a new password invalidates pending challenges. */
function purposeOf(administrator: string, epoch: number): Purpose {
  return `add ${administrator} ${epoch}`
}

function toPasskey({ id, name, backedUp, createdAt, usedAt }: PasskeyRow): Passkey {
  return { id, name, backedUp, createdAt, usedAt }
}
