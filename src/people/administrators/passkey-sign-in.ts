import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { readInput } from '../access/input.ts'
import { ValidationError } from '../../base/errors.ts'
import type { Device } from './admin-sessions.ts'
import type { AdministratorsContext } from './administrators.ts'
import { noteFailedSignIn } from './note-sign-ins.ts'
import { PASSKEY_SIGN_IN } from './passkeys/passkey-input.ts'
import { passkeyRowId, type PasskeyRow, passkeysOf } from './passkeys/passkey-rows.ts'
import { invalidPasskey, orInvalid, partyOf } from './passkeys.ts'
import { type NewSession, startAdminSession } from './start-session.ts'

const PURPOSE = 'sign-in'

/** The challenge does not reveal any account. @throws NotFoundError if passkeys are not available */
export async function beginPasskeySignIn(
  context: AdministratorsContext,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { id: rpID } = partyOf(context)
  const challenge = context.challenges.make(PURPOSE)
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  return generateAuthenticationOptions({ rpID, challenge, userVerification: 'required' })
}

/** Each challenge is valid once. @throws ValidationError */
export async function signInByPasskey(
  context: AdministratorsContext,
  input: unknown,
  device: Device,
): Promise<NewSession> {
  const { response } = readInput(PASSKEY_SIGN_IN, input)
  partyOf(context)
  const { db, versionedCache } = context
  const filter = { _id: passkeyRowId(response.id) }
  const passkey = await passkeysOf(db).findOne(filter)
  const { administrators } = await versionedCache.current()
  const row = administrators.find(({ _id }) => _id === passkey?.administrator)
  try {
    if (passkey === null || row === undefined) throw invalidPasskey()
    if (!isOwner(passkey, response)) throw invalidPasskey()
    await count(context, passkey, await verify(context, passkey, response))
  } catch (error) {
    if (error instanceof ValidationError) await noteFailedSignIn(db, row?._id ?? null)
    throw error
  }
  return startAdminSession(context, row, device, 'passkey')
}

function isOwner(
  { administrator }: PasskeyRow,
  { response: { userHandle } }: AuthenticationResponseJSON,
): boolean {
  return userHandle === Buffer.from(administrator).toString('base64url')
}

async function verify(
  context: AdministratorsContext,
  { credential, publicKey, counter }: PasskeyRow,
  response: AuthenticationResponseJSON,
): Promise<number> {
  const { challenges } = context
  const { id, origin } = partyOf(context)
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const given = { challenge: '' }
  const { verified, authenticationInfo } = await orInvalid(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => {
        given.challenge = challenge
        return challenges.isGood(PURPOSE, challenge)
      },
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: credential,
        publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        counter,
      },
    }),
  )
  if (!verified || !(await challenges.use(given.challenge))) throw invalidPasskey()
  return authenticationInfo.newCounter
}

/** A repeated counter reveals a cloned passkey. */
async function count(
  { db, now }: AdministratorsContext,
  { _id, counter }: PasskeyRow,
  newCounter: number,
): Promise<void> {
  const { matchedCount } = await passkeysOf(db).updateOne(
    { _id, counter },
    { $set: { counter: newCounter, usedAt: now() } },
  )
  if (matchedCount === 0) throw invalidPasskey()
}
