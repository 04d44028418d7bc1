import type { Document } from 'mongodb'
import type { SeenType } from '../../query/query.ts'

/** Builds conditions on `type` and `locales`. A row is visible if it matches one of them. */
export function seenRows(seen: readonly SeenType[]): readonly Document[] {
  return seen.map(({ type, locales, hidden }) => ({
    type,
    locales: { $in: [...locales], ...(hidden.length > 0 && { $nin: [...hidden] }) },
  }))
}
