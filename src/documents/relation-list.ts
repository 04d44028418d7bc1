/** A stored relation: a list, one documentId, or nothing. */
export function listOf(stored: unknown): readonly string[] {
  if (stored === null || stored === undefined) return []
  return Array.isArray(stored) ? (stored as readonly string[]) : [stored as string]
}

/** Each once, in order. */
export function unique(documentIds: readonly string[]): readonly string[] {
  return [...new Set(documentIds)]
}
