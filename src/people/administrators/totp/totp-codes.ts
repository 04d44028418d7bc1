import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { credentialHash } from '../../access/credentials.ts'

/** Authenticator apps ignore other values than these (RFC 6238, section 4). */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 }
const SECRET_BYTES = 20

/** Steps before and after the current one, for clocks that differ. */
const WINDOW = 1

const TOTP_CODE = /^\d{6}$/

const RECOVERY_CODES = 10
const RECOVERY_CODE_LENGTH = 16
/** Base32 of Crockford, without letters that look like digits: 80 bits per code. */
const RECOVERY_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export interface NewTotpSecret {
  readonly bytes: Uint8Array
  /** In base32, to type into an app. */
  readonly text: string
  /** For a QR code (https://github.com/google/google-authenticator/wiki/Key-Uri-Format). */
  readonly uri: string
}

export function createTotpSecret(issuer: string, label: string): NewTotpSecret {
  const secret = new Secret({ size: SECRET_BYTES })
  const uri = new TOTP({ ...PARAMETERS, issuer, label, secret }).toString()
  return { bytes: secret.bytes, text: secret.base32, uri }
}

/** Returns the step of the code. Null for a wrong code. Compares in constant time. */
export function totpStepOf(secret: Uint8Array, code: string, at: Date): number | null {
  if (!TOTP_CODE.test(code)) return null
  const { buffer } = Uint8Array.from(secret)
  const timestamp = at.getTime()
  const delta = TOTP.validate({
    ...PARAMETERS,
    secret: new Secret({ buffer }),
    token: code,
    timestamp,
    window: WINDOW,
  })
  return delta === null ? null : TOTP.counter({ period: PARAMETERS.period, timestamp }) + delta
}

export function isTotpCode(code: string): boolean {
  return TOTP_CODE.test(code)
}

/** Removes spaces and hyphens, which apps and people insert. */
export function normalizeCode(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toUpperCase()
}

export function createRecoveryCodes(): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, createRecoveryCode)
}

/** A salt is unnecessary, because the codes are random. */
export function recoveryCodeHash(code: string): string {
  return credentialHash(`recovery ${normalizeCode(code)}`)
}

/** Such as `7K2M-9QXT-04WC-HJ5B`. */
function createRecoveryCode(): string {
  const letters = Array.from(
    { length: RECOVERY_CODE_LENGTH },
    () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)] ?? '',
  ).join('')
  return letters.replaceAll(/(.{4})(?=.)/g, '$1-')
}
