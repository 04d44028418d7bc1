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

/** The message for each fault. The label names the value or the key. */
export const JSON_SENTENCES = {
  'json.depth': (label) => `${label} must not be nested more than ${MAX_JSON_DEPTH} levels deep`,
  'json.key': (label) => `${label} must not be a key`,
  'json.keyNul': (label) => `${label} must not be a key: a text must not contain a NUL character`,
  'json.keySurrogate': (label) =>
    `${label} must not be a key: a text must not contain half of a surrogate pair`,
  'json.number': (label) => `${label} must be a number up to 1.79e308`,
  'string.nul': (label) => `${label} must not contain a NUL character`,
  'string.surrogate': (label) => `${label} must not contain half of a surrogate pair`,
} satisfies Readonly<Record<JsonCode, (label: string) => string>>

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

const MARK = '%:'
/** The driver treats any object with this key as a BSON value. */
const DRIVER_KEY = '_bsontype'
const ESCAPES: Readonly<Record<string, string>> = { '%': '%25', '.': '%2E' }

/** Escapes keys that the driver could misinterpret: `%:` and the key, with `%25` for `%` and `%2E` for `.`. */
export function storedJson(value: unknown): unknown {
  return withKeys(value, storedKey)
}

export function shownJson(stored: unknown): unknown {
  return withKeys(stored, shownKey)
}

/** Returns the same object if no key changes, which is usual and cheaper than a copy. */
function withKeys(value: unknown, keyOf: (key: string) => string): unknown {
  return isChanged(value, keyOf) ? rebuilt(value, keyOf) : value
}

function rebuilt(value: unknown, keyOf: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((element) => rebuilt(element, keyOf))
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [keyOf(key), rebuilt(member, keyOf)]),
  )
}

function isChanged(value: unknown, keyOf: (key: string) => string): boolean {
  if (Array.isArray(value)) return value.some((one) => isChanged(one, keyOf))
  if (!isPlain(value)) return false
  return Object.keys(value).some(
    (key) =>
      keyOf(key) !== key || isChanged((value as Readonly<Record<string, unknown>>)[key], keyOf),
  )
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function storedKey(key: string): string {
  const isPlainKey =
    key !== '' &&
    key !== DRIVER_KEY &&
    !key.startsWith('$') &&
    !key.startsWith(MARK) &&
    !key.includes('.')
  return isPlainKey ? key : MARK + key.replaceAll(/[%.]/g, (sign) => ESCAPES[sign] ?? sign)
}

function shownKey(stored: string): string {
  if (!stored.startsWith(MARK)) return stored
  const key = stored.slice(MARK.length).replaceAll('%2E', '.').replaceAll('%25', '%')
  return storedKey(key) === stored ? key : stored
}

/** An unpaired surrogate has no UTF-8 form, so the database cannot store it. */
const LONE_SURROGATE = /\p{Surrogate}/u

export function findTextFault(text: string): 'nul' | 'surrogate' | null {
  if (text.includes('\0')) return 'nul'
  return LONE_SURROGATE.test(text) ? 'surrogate' : null
}

/** The path of the first text or key of a value that is found. Null if there is none. */
export function findText(
  value: unknown,
  isFound: (text: string) => boolean,
): readonly string[] | null {
  if (typeof value === 'string') return isFound(value) ? [] : null
  if (typeof value !== 'object' || value === null) return null
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    const within = isFound(key) ? [] : findText(member, isFound)
    if (within !== null) return [key, ...within]
  }
  return null
}
