import { findTextFault } from './text-values.ts'

export const MAX_JSON_DEPTH = 50

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

/** Nesting is limited to 50 levels: BSON allows 100, and an entry adds its own. */
export function findJsonFault(value: unknown, depth = 1): JsonFault | null {
  if (typeof value !== 'object' || value === null) return faultHere(findScalarFault(value))
  if (depth > MAX_JSON_DEPTH) return faultHere('json.depth')
  for (const key of Object.keys(value)) {
    const fault = keyFault(key) ?? findJsonFault((value as Record<string, unknown>)[key], depth + 1)
    if (fault !== null) return { path: [key, ...fault.path], code: fault.code }
  }
  return null
}

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
