import { findTextFault } from './text-values.ts'

const MAX_DEPTH = 50

/** Where in a JSON value something lies that cannot be stored, and what it is; null when it is fine. */
export interface JsonFault {
  readonly path: readonly string[]
  /** Goes on after the name of the place: `must not …`. */
  readonly problem: string
}

/**
 * Finds what must not get into the database: keys that JavaScript could take for something else (those that the
 * database or its driver could are stored under others, see `json-keys.ts`), texts and numbers that would not be read as they were written, and nesting beyond 50 levels (BSON
 * allows 100, and an entry adds levels of its own).
 */
export function findJsonFault(value: unknown, depth = 1): JsonFault | null {
  if (typeof value !== 'object' || value === null) return faultHere(findScalarFault(value))
  if (depth > MAX_DEPTH) {
    return { path: [], problem: `must not be nested more than ${MAX_DEPTH} levels deep` }
  }
  for (const key of Object.keys(value)) {
    const fault = keyFault(key) ?? findJsonFault((value as Record<string, unknown>)[key], depth + 1)
    if (fault !== null) return { path: [key, ...fault.path], problem: fault.problem }
  }
  return null
}

/** JSON may write `1e400`, which is infinite by the time it is read. */
function findScalarFault(value: unknown): string | null {
  if (typeof value === 'string') return findTextFault(value)
  const isFine = typeof value !== 'number' || Number.isFinite(value)
  return isFine ? null : 'must be a number up to 1.79e308'
}

function faultHere(problem: string | null): JsonFault | null {
  return problem === null ? null : { path: [], problem }
}

function keyFault(key: string): JsonFault | null {
  if (key === '__proto__') return faultHere('must not be a key')
  const fault = findTextFault(key)
  return faultHere(fault === null ? null : `must not be a key: a text ${fault}`)
}
