import type { QueryValue } from '../../api/request.ts'

/** Up to this number of entries, the server sorts quickly without an index. */
const MAX_UNINDEXED_ENTRIES = 5_000

/** Whether entries can be listed by title. Sorting a large type without an index takes seconds. */
export function isOrderedByTitle(count: number | undefined, isIndexed: boolean): boolean {
  return isIndexed || (count !== undefined && count <= MAX_UNINDEXED_ENTRIES)
}

/**
 * Matches the text as typed and with a capital first letter, because the index is case-sensitive.
 */
export function beginningWith(titleField: string, text: string): QueryValue {
  const capital = text.charAt(0).toLocaleUpperCase() + text.slice(1)
  return {
    $or: [...new Set([text, capital])].map((beginning) => ({
      [titleField]: { $startsWith: beginning },
    })),
  }
}
