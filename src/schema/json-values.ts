const MAX_DEPTH = 50

/** Where in a JSON value something lies that cannot be stored, and what it is; null when it is fine. */
export interface JsonFault {
  readonly path: readonly string[]
  /** Goes on after the name of the place: `must not …`. */
  readonly problem: string
}

/**
 * Finds what must not get into the database: keys that it or JavaScript could take for something else,
 * NUL characters, and nesting beyond 50 levels (BSON allows 100, and an entry adds levels of its own).
 */
export function findJsonFault(value: unknown, depth = 1): JsonFault | null {
  if (typeof value === 'string') return stringFault(value)
  if (typeof value !== 'object' || value === null) return null
  if (depth > MAX_DEPTH) {
    return { path: [], problem: `must not be nested more than ${MAX_DEPTH} levels deep` }
  }
  for (const key of Object.keys(value)) {
    const fault = keyFault(key) ?? findJsonFault((value as Record<string, unknown>)[key], depth + 1)
    if (fault !== null) return { path: [key, ...fault.path], problem: fault.problem }
  }
  return null
}

function stringFault(text: string): JsonFault | null {
  return text.includes('\0') ? { path: [], problem: 'must not contain a NUL character' } : null
}

function keyFault(key: string): JsonFault | null {
  if (key.startsWith('$')) return { path: [], problem: 'must not be a key: it starts with `$`' }
  if (key === '__proto__') return { path: [], problem: 'must not be a key' }
  return key.includes('\0') ? { path: [], problem: 'must not be a key: it contains NUL' } : null
}
