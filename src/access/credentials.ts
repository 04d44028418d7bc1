import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const ACCESS_KEY_BYTES = 128

/** A new API token: 256 hexadecimal characters, 1,024 random bits. */
export function createAccessKey(): string {
  return randomBytes(ACCESS_KEY_BYTES).toString('hex')
}

/**
 * The SHA-256 of a credential, by which it is stored and found. No slow hash and no salt: what is
 * hashed is random, so that there is no dictionary to try (docs/decisions/0011-access.md).
 */
export function hashCredential(credential: string): Buffer {
  return hash('sha256', credential, 'buffer')
}

/** Compares two hashes in constant time. */
export function isSameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/**
 * The credential of an `Authorization` header: `Bearer` in any case and one more word, with any spaces
 * around them. Null for any other header, which counts as absent, as in the reference.
 */
export function bearerCredential(authorization: string | undefined): string | null {
  if (authorization === undefined) return null
  const [scheme, credential, ...more] = authorization.split(/\s+/).filter((word) => word !== '')
  if (scheme?.toLowerCase() !== 'bearer' || credential === undefined || more.length > 0) return null
  return credential
}

/** Whether a bearer has the form of one: API tokens have no full stops. */
export function isUserToken(credential: string): boolean {
  return credential.split('.', 4).length === 3
}
