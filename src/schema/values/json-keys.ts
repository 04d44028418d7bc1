/** What a stored key starts with that stands for another. */
const MARK = '%:'
/** The driver takes what has such a member for a value of its own, whatever it holds. */
const DRIVER_KEY = '_bsontype'
const ESCAPES: Readonly<Record<string, string>> = { '%': '%25', '.': '%2E' }

/**
 * A JSON value as it is stored: keys that a database or its driver could take for something else (those with `.`,
 * those that start with `$`, the empty one, `_bsontype`) as `%:` and the key, in which `%` is `%25` and `.` is `%2E`.
 */
export function storedJson(value: unknown): unknown {
  return withKeys(value, storedKey)
}

/** What `storedJson` was given. Whatever else is stored is shown as it is. */
export function shownJson(stored: unknown): unknown {
  return withKeys(stored, shownKey)
}

/** The value itself where no key changes, as in most values: to build another costs more than to look. */
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

/** Whether a key of the value or of what is within it changes. */
function isChanged(value: unknown, keyOf: (key: string) => string): boolean {
  if (Array.isArray(value)) return value.some((one) => isChanged(one, keyOf))
  if (!isPlain(value)) return false
  return Object.keys(value).some(
    (key) =>
      keyOf(key) !== key || isChanged((value as Readonly<Record<string, unknown>>)[key], keyOf),
  )
}

/** Dates and the numbers of the driver are values, and hold no keys of a client. */
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

/** A key that only looks as if it stood for another, from before there were any, stays as it is. */
function shownKey(stored: string): string {
  if (!stored.startsWith(MARK)) return stored
  const key = stored.slice(MARK.length).replaceAll('%2E', '.').replaceAll('%25', '%')
  return storedKey(key) === stored ? key : stored
}
