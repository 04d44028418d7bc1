import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const ACCESS_KEY_BYTES = 128

/** Returns 256 hexadecimal characters (1,024 random bits). */
export function createAccessKey(): string {
  return randomBytes(ACCESS_KEY_BYTES).toString('hex')
}

/** A slow hash or a salt is unnecessary, because credentials are random (docs/decisions/0011-access.md). */
export function hashCredential(credential: string): Buffer {
  return hash('sha256', credential, 'buffer')
}

export function credentialHash(credential: string): string {
  return hashCredential(credential).toString('hex')
}

/** Runs in constant time. */
export function isSameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Accepts any case and extra spaces. Other headers count as absent, as in the reference. */
export function bearerCredential(authorization: string | undefined): string | null {
  if (authorization === undefined) return null
  const [scheme, credential, ...more] = authorization.split(/\s+/).filter((word) => word !== '')
  if (scheme?.toLowerCase() !== 'bearer' || credential === undefined || more.length > 0) return null
  return credential
}

/** API tokens contain no dots. */
export function isUserToken(credential: string): boolean {
  return credential.split('.', 4).length === 3
}
