/** The cardinality may have changed since the write. */
export function relationListOf(stored: unknown): readonly string[] {
  if (Array.isArray(stored)) return stored as readonly string[]
  return typeof stored === 'string' ? [stored] : []
}

export function unique(documentIds: readonly string[]): readonly string[] {
  return [...new Set(documentIds)]
}
