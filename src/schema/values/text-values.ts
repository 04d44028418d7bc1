/** An unpaired surrogate has no UTF-8 form, so the database cannot store it. */
const LONE_SURROGATE = /\p{Surrogate}/u

export function findTextFault(text: string): 'nul' | 'surrogate' | null {
  if (text.includes('\0')) return 'nul'
  return LONE_SURROGATE.test(text) ? 'surrogate' : null
}

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
