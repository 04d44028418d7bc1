/** Stands in a payload for a password that is stored already: no JSON spells it, and no rule asks anything of it. */
export const STORED_PASSWORD = Symbol('stored password')

/** The form in which passwords are stored: argon2id, and bcrypt for imported ones. */
const HASH = /^\$(?:argon2(?:id|i|d)|2[abxy])\$/

/**
 * Whether a stored value is a password's. Of an attribute whose declaration has gone nothing else says so: it stays what
 * nobody is shown.
 */
export function isPasswordHash(value: unknown): boolean {
  return typeof value === 'string' && HASH.test(value)
}
