import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const ACCESS_KEY_BYTES = 128

/** Returns 256 hexadecimal characters (1,024 random bits). */
export function createAccessKey(): string {
  return randomBytes(ACCESS_KEY_BYTES).toString('hex')
}

/**
 * SHA-256 of a credential, used for storage and lookup. A slow hash or a salt is unnecessary, because credentials are
 * random and no dictionary attack applies (docs/decisions/0011-access.md).
 */
export function hashCredential(credential: string): Buffer {
  return hash('sha256', credential, 'buffer')
}

/** The hash in hexadecimal, as rows store it. */
export function credentialHash(credential: string): string {
  return hashCredential(credential).toString('hex')
}

/** Compares two hashes in constant time. */
export function isSameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/**
 * Extracts the credential from an `Authorization` header of the form `Bearer <credential>`. The scheme is
 * case-insensitive, and extra spaces are ignored. Returns null for any other header, which counts as absent, as in the
 * reference.
 */
export function bearerCredential(authorization: string | undefined): string | null {
  if (authorization === undefined) return null
  const [scheme, credential, ...more] = authorization.split(/\s+/).filter((word) => word !== '')
  if (scheme?.toLowerCase() !== 'bearer' || credential === undefined || more.length > 0) return null
  return credential
}

/** Whether a bearer looks like a JWT. API tokens contain no dots. */
export function isUserToken(credential: string): boolean {
  return credential.split('.', 4).length === 3
}
