import { randomBytes } from 'node:crypto'

/** Returns 128 hexadecimal characters. Rows store the `credentialHash`. */
export function createCode(): string {
  return randomBytes(64).toString('hex')
}

/** Returns 43 characters. Rows store the `credentialHash`. */
export function createToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns 32 hexadecimal characters, for an id that need not be secret. */
export function createId(): string {
  return randomBytes(16).toString('hex')
}
