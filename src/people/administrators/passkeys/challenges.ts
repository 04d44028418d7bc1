import { randomBytes } from 'node:crypto'
import { asCmsErrors, isDuplicateKey } from '../../../mongo/connection/database-error.ts'
import type { Database } from '../../../mongo/connection/database.ts'
import { insertOnce } from '../../../mongo/system/insert-once.ts'
import { credentialHash } from '../../access/credentials.ts'
import { openExpiringRows } from '../../sign-in/expiring-rows.ts'
import { createId } from '../../sign-in/random-tokens.ts'
import { openSigner } from '../../sign-in/signer.ts'

/** Such as `sign-in` or `add <administrator>`. */
export type Purpose = string

/**
 * Challenges are signed instead of stored, so that anonymous requests cannot fill the database.
 * Used ones are stored until they expire, because a challenge is valid once.
 */
export interface Challenges {
  make(purpose: Purpose): Uint8Array<ArrayBuffer>
  /** Accepts challenges of the last five minutes, in base64url. */
  isGood(purpose: Purpose, challenge: string): boolean
  /** Returns false if it was used before. */
  use(challenge: string): Promise<boolean>
}

interface UsedRow {
  /** Hash of the challenge. */
  readonly _id: string
  /** Random id of the request that used it. */
  readonly attempt: string
  readonly expiresAt: Date
}

export interface ChallengesOptions {
  readonly db: Database
  readonly secret: string
  readonly now: () => Date
}

const LIVES_MS = 5 * 60 * 1_000
const RANDOM_BYTES = 16
const TIME_BYTES = 6
const SIGNED_BYTES = RANDOM_BYTES + TIME_BYTES
const CHALLENGE = /^[\w-]{72}$/

/**
 * Format: `<16 random bytes><expiry in milliseconds, 6 bytes><HMAC-SHA256 of both and the
 * purpose>`.
 */
export async function openChallenges(options: ChallengesOptions): Promise<Challenges> {
  const { db, secret, now } = options
  const collection = 'quire_admin_challenges'
  const { rows, bounded, sweep } = await openExpiringRows<UsedRow>({ db, collection, now })
  const signer = openSigner(secret, 'quire administrator challenges')
  return {
    make: (purpose) => {
      const signed = Buffer.alloc(SIGNED_BYTES)
      randomBytes(RANDOM_BYTES).copy(signed)
      signed.writeUIntBE(now().getTime() + LIVES_MS, RANDOM_BYTES, TIME_BYTES)
      return new Uint8Array(Buffer.concat([signed, signer.sign(signed, purpose)]))
    },
    isGood: (purpose, challenge) => {
      if (!CHALLENGE.test(challenge)) return false
      const bytes = Buffer.from(challenge, 'base64url')
      const signed = bytes.subarray(0, SIGNED_BYTES)
      if (!signer.isSigned(bytes.subarray(SIGNED_BYTES), signed, purpose)) return false
      return signed.readUIntBE(RANDOM_BYTES, TIME_BYTES) > now().getTime()
    },
    use: (challenge) =>
      asCmsErrors(async () => {
        await sweep()
        const _id = credentialHash(challenge)
        const expiresAt = new Date(now().getTime() + LIVES_MS)
        const attempt = createId()
        try {
          await insertOnce(rows, { _id, attempt, expiresAt }, { own: 'attempt', ...bounded })
          return true
        } catch (error) {
          if (isDuplicateKey(error)) return false
          throw error
        }
      }),
  }
}
