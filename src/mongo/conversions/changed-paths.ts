import type { Document } from 'mongodb'

/**
 * The differing values by path. DocumentDB skips a `$set` of an object that it compares as equal, such as of
 * `{ price: 7 }` with a decimal instead of an integer.
 */
export function changedPaths(before: Document, changed: Document, prefix = ''): Document {
  const paths: Document = {}
  for (const [name, value] of Object.entries(changed) as [string, unknown][]) {
    const old: unknown = before[name]
    if (value === old) continue
    const path = prefix + name
    if (!haveSameMembers(old, value)) paths[path] = value
    else Object.assign(paths, changedPaths(old, value as Document, `${path}.`))
  }
  return paths
}

function haveSameMembers(old: unknown, value: unknown): old is Document {
  if (Array.isArray(old) && Array.isArray(value)) return old.length === value.length
  return isPlainDocument(old) && isPlainDocument(value)
}

function isPlainDocument(value: unknown): value is Document {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}
