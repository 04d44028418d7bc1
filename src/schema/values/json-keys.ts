const MARK = '%:'
/** The driver treats any object with this key as a BSON value. */
const DRIVER_KEY = '_bsontype'
const ESCAPES: Readonly<Record<string, string>> = { '%': '%25', '.': '%2E' }

/**
 * Escapes keys that the database or its driver could misinterpret. They are stored as `%:` and the
 * key, with `%25` for `%` and `%2E` for `.`.
 */
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
