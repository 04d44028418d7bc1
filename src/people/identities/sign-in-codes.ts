import { createHash, randomInt } from 'node:crypto'
import type { Database } from '../../mongo/connection/database.ts'
import { insertOnce } from '../../mongo/system/insert-once.ts'
import { credentialHash, hashCredential, isSameHash } from '../access/credentials.ts'
import type { ProvenIdentity } from './id-tokens.ts'
import { openExpiringRows } from '../sign-in/expiring-rows.ts'
import { createToken } from '../sign-in/random-tokens.ts'

export interface SignInCodes {
  /** For the redirect of a provider. Valid for one minute, with the secret of which `challenge` is the hash. */
  makeForRedirect(redirect: RedirectCode): Promise<string>
  /** Null for an invalid code, and for a secret of another browser. */
  useOfRedirect(provider: string, code: string, secret: string): Promise<RedirectResult | null>
  /** Returns six digits for a mail, valid for ten minutes. Invalidates the earlier code of the address. */
  makeForMail(email: string): Promise<string>
  /** An address has ten attempts in ten minutes, so that nobody can try many codes of it. */
  useOfMail(email: string, code: string): Promise<boolean>
}

export type RedirectResult =
  /** The documentId of the user. */
  | { readonly user: string; readonly identity: null }
  /** The user is determined by the caller that presents the code. */
  | { readonly user: null; readonly identity: ProvenIdentity }

export type RedirectCode = RedirectResult & {
  readonly provider: string
  /** `challengeOf` the secret of the browser. */
  readonly challenge: string
}

interface CodeRow {
  /** Hash of the code of a redirect, or of the address. */
  readonly _id: string
  readonly expiresAt: Date
  readonly provider: string | null
  readonly user: string | null
  readonly identity: ProvenIdentity | null
  readonly challenge: string | null
  /** Salted hash of the digits. */
  readonly digits: string | null
  readonly attempts: number
  readonly attemptsEndAt: Date | null
}

export interface SignInCodesOptions {
  readonly db: Database
  readonly secret: string
  readonly now: () => Date
}

const REDIRECT_LIVES_MS = 60_000
export const MAIL_CODE_LIVES_MS = 10 * 60_000
const MAX_ATTEMPTS = 10
const DIGITS = 6

export async function openSignInCodes(options: SignInCodesOptions): Promise<SignInCodes> {
  const { db, now } = options
  const collection = 'quire_sign_in_codes'
  const { rows, sweep } = await openExpiringRows<CodeRow>({ db, collection, now })
  const after = (ms: number): Date => new Date(now().getTime() + ms)
  const alive = () => ({ expiresAt: { $gt: now() } })
  const none = { digits: null, attempts: 0, attemptsEndAt: null }
  return {
    makeForRedirect: async (redirect) => {
      await sweep()
      const code = createToken()
      const row = { ...none, _id: credentialHash(code), ...redirect }
      await insertOnce(rows, { ...row, expiresAt: after(REDIRECT_LIVES_MS) }, '_id') // a random id
      return code
    },
    useOfRedirect: async (provider, code, secret) => {
      const good = { _id: credentialHash(code), provider, challenge: challengeOf(secret) }
      return resultOf(await rows.findOneAndDelete({ ...good, ...alive() }))
    },
    makeForMail: async (email) => {
      await sweep()
      const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
      const digits = digitsHash(options, email, code).toString('hex')
      const _id = addressId(email)
      const expiresAt = after(MAIL_CODE_LIVES_MS)
      await rows.deleteOne({ _id, attemptsEndAt: { $lte: now() } })
      // A new code keeps the count of attempts.
      const first = {
        provider: null,
        user: null,
        identity: null,
        challenge: null,
        attempts: 0,
        attemptsEndAt: expiresAt,
      }
      const change = { $set: { digits, expiresAt }, $setOnInsert: first }
      await rows.updateOne({ _id }, change, { upsert: true })
      return code
    },
    useOfMail: async (email, code) => {
      const _id = addressId(email)
      const open = { _id, attempts: { $lt: MAX_ATTEMPTS }, ...alive() }
      // Counts the attempt before the comparison, so that concurrent attempts are limited too.
      const row = await rows.findOneAndUpdate(open, { $inc: { attempts: 1 } })
      if (row === null || row.digits === null) return false
      const given = digitsHash(options, email, code)
      if (!isSameHash(Buffer.from(row.digits, 'hex'), given)) return false
      const { deletedCount } = await rows.deleteOne({ _id, digits: row.digits })
      return deletedCount === 1
    },
  }
}

function resultOf(row: CodeRow | null): RedirectResult | null {
  const { user = null, identity = null } = row ?? {}
  if (user !== null) return { user, identity: null }
  return identity === null ? null : { user, identity }
}

/** The challenge of the method S256 (RFC 7636, section 4.2). */
export function challengeOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

function addressId(email: string): string {
  return credentialHash(`mail ${email}`)
}

/** Six digits can be guessed from a plain hash, so the secret of the server is part of it. */
function digitsHash({ secret }: SignInCodesOptions, email: string, code: string): Buffer {
  const salted = createHash('sha256')
    .update(JSON.stringify([secret, email, code]))
    .digest('hex')
  return hashCredential(salted)
}
