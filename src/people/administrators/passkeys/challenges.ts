import { randomBytes } from 'node:crypto'
import type { Database } from '../../../mongo/connection/database.ts'
import { openSigner } from '../../sign-in/signer.ts'
import { openUsedTokens } from '../../sign-in/used-tokens.ts'

/** Such as `sign-in` or `add <administrator>`. */
export type Purpose = string

/** Challenges are signed instead of stored, so that anonymous requests cannot fill the database. */
export interface Challenges {
  make(purpose: Purpose): Uint8Array<ArrayBuffer>
  /** Accepts challenges of the last five minutes, in base64url. */
  isGood(purpose: Purpose, challenge: string): boolean
  use(challenge: string): Promise<boolean>
  /** Only for challenges of `make`. */
  expiryOf(challenge: string): Date
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

/** Format: `<16 random bytes><expiry in milliseconds, 6 bytes><HMAC-SHA256 of both and the purpose>`. */
export async function openChallenges(options: ChallengesOptions): Promise<Challenges> {
  const { db, secret, now } = options
  const collection = 'quire_admin_challenges'
  const used = await openUsedTokens({ db, collection, now })
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
      return expiryIn(signed) > now().getTime()
    },
    use: (challenge) => used.use(challenge, new Date(now().getTime() + LIVES_MS)),
    expiryOf: (challenge) => new Date(expiryIn(Buffer.from(challenge, 'base64url'))),
  }
}

function expiryIn(challenge: Buffer): number {
  return challenge.readUIntBE(RANDOM_BYTES, TIME_BYTES)
}
