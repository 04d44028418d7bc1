import type { Document } from 'mongodb'
import type { SeenType } from '../../query/query.ts'

/** Conditions on `type` and `locales` of rows, one of which holds for what is seen. */
export function seenRows(seen: readonly SeenType[]): readonly Document[] {
  return seen.map(({ type, locales, hidden }) => ({
    type,
    locales: { $in: [...locales], ...(hidden.length > 0 && { $nin: [...hidden] }) },
  }))
}
