import type { QueryValue } from '../../api/query-string.ts'

/** So many entries are put in order at once without an index. */
const SHORT = 5_000

/** Whether entries can be offered by their titles: a long type without an index of them takes seconds to be put in order. */
export function isOrderedByTitle(count: number | undefined, isIndexed: boolean): boolean {
  return isIndexed || (count !== undefined && count <= SHORT)
}

/** Titles that begin with the text as it is typed or with a capital: an index finds them only by their very letters. */
export function beginningWith(titleField: string, text: string): QueryValue {
  const capital = text.charAt(0).toLocaleUpperCase() + text.slice(1)
  return {
    $or: [...new Set([text, capital])].map((beginning) => ({
      [titleField]: { $startsWith: beginning },
    })),
  }
}
