import { findTextFault } from './text-values.ts'

export const MAX_JSON_DEPTH = 50

/** Where in a JSON value something lies that cannot be stored, and what it is; null when it is fine. */
export interface JsonFault {
  readonly path: readonly string[]
  readonly code: JsonCode
}

type JsonCode =
  | 'json.depth'
  | 'json.key'
  | 'json.keyNul'
  | 'json.keySurrogate'
  | 'json.number'
  | 'string.nul'
  | 'string.surrogate'

/**
 * Finds what must not get into the database: keys that JavaScript could take for something else (those that the
 * database or its driver could are stored under others, see `json-keys.ts`), texts and numbers that would not be read as they were written, and nesting beyond 50 levels (BSON
 * allows 100, and an entry adds levels of its own).
 */
export function findJsonFault(value: unknown, depth = 1): JsonFault | null {
  if (typeof value !== 'object' || value === null) return faultHere(findScalarFault(value))
  if (depth > MAX_JSON_DEPTH) return faultHere('json.depth')
  for (const key of Object.keys(value)) {
    const fault = keyFault(key) ?? findJsonFault((value as Record<string, unknown>)[key], depth + 1)
    if (fault !== null) return { path: [key, ...fault.path], code: fault.code }
  }
  return null
}

/** JSON may write `1e400`, which is infinite by the time it is read. */
function findScalarFault(value: unknown): JsonCode | null {
  if (typeof value === 'string') {
    const fault = findTextFault(value)
    return fault === null ? null : `string.${fault}`
  }
  const isFine = typeof value !== 'number' || Number.isFinite(value)
  return isFine ? null : 'json.number'
}

function faultHere(code: JsonCode | null): JsonFault | null {
  return code === null ? null : { path: [], code }
}

function keyFault(key: string): JsonFault | null {
  if (key === '__proto__') return faultHere('json.key')
  const fault = findTextFault(key)
  if (fault === null) return null
  return faultHere(fault === 'nul' ? 'json.keyNul' : 'json.keySurrogate')
}
