/** Half of a character beyond the first 65,536: UTF-8, which the database writes, has none. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** Why a text cannot be stored as it is: `must not …`; null when it can. */
export function findTextFault(text: string): string | null {
  if (text.includes('\0')) return 'must not contain a NUL character'
  return LONE_SURROGATE.test(text) ? 'must not contain half of a surrogate pair' : null
}
