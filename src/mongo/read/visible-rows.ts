import type { Document } from 'mongodb'
import type { VisibleType } from '../../query/visible-type.ts'

export function visibleRows(seen: readonly VisibleType[]): readonly Document[] {
  return seen.map(({ type, locales, hidden }) => ({
    type,
    locales: { $in: [...locales], ...(hidden.length > 0 && { $nin: [...hidden] }) },
  }))
}
