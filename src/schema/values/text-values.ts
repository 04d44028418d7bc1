/** Half of a character beyond the first 65,536: UTF-8, which the database writes, has none. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** Why a text cannot be stored as it is; null when it can. */
export function findTextFault(text: string): 'nul' | 'surrogate' | null {
  if (text.includes('\0')) return 'nul'
  return LONE_SURROGATE.test(text) ? 'surrogate' : null
}

/** Where in a value a text or a key has half of a surrogate pair, which would be stored as something else; null where none has. */
export function findHalf(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? [] : null
  if (typeof value !== 'object' || value === null) return null
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    const within = LONE_SURROGATE.test(key) ? [] : findHalf(member)
    if (within !== null) return [key, ...within]
  }
  return null
}
