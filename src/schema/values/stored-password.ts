/** A placeholder for a stored password in a payload. JSON cannot express it, and no rule applies to it. */
export const STORED_PASSWORD = Symbol('stored password')

const HASH = /^\$(?:argon2(?:id|i|d)|2[abxy])\$/

/** Recognizes password hashes, so that they stay hidden if their attribute is no longer declared. */
export function isPasswordHash(value: unknown): boolean {
  return typeof value === 'string' && HASH.test(value)
}
