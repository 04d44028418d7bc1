/** The documentIds of a stored relation, whatever cardinality it had when it was written. */
export function listOf(stored: unknown): readonly string[] {
  if (Array.isArray(stored)) return stored as readonly string[]
  return typeof stored === 'string' ? [stored] : []
}

/** Each once, in order. */
export function unique(documentIds: readonly string[]): readonly string[] {
  return [...new Set(documentIds)]
}
