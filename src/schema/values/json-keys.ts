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

/** The value itself where no key changes. */
function withKeys(value: unknown, keyOf: (key: string) => string): unknown {
  if (Array.isArray(value)) {
    const elements: readonly unknown[] = value
    const mapped = elements.map((element) => withKeys(element, keyOf))
    return mapped.some((element, index) => element !== elements[index]) ? mapped : value
  }
  if (!isPlain(value)) return value
  const entries = Object.entries(value)
  const mapped = entries.map(([key, member]) => [keyOf(key), withKeys(member, keyOf)] as const)
  const isSame = mapped.every(
    ([key, member], index) => key === entries[index]?.[0] && member === entries[index][1],
  )
  return isSame ? value : Object.fromEntries(mapped)
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
