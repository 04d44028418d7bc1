import { type FilterWord, isFilterWord } from './filter-words.ts'

/** The state of a list in its URL, which can be bookmarked and shared. */
export interface ListSearch {
  readonly locale?: string
  readonly q?: string
  /** For example `title:asc`. */
  readonly sort?: string
  readonly filters?: readonly FilterWord[]
  readonly after?: string
  /** The number of entries on the previous pages. */
  readonly skipped?: number
}

/** Ignored values are set explicitly, because the router merges the result over the raw search. */
const NO_SEARCH = {
  locale: undefined,
  q: undefined,
  sort: undefined,
  filters: undefined,
  after: undefined,
  skipped: undefined,
}

export function readListSearch(given: Record<string, unknown>): ListSearch {
  const { filters, skipped } = given
  const words = Array.isArray(filters) ? filters.filter(isFilterWord) : []
  return {
    ...(NO_SEARCH as object),
    ...textOf(given, 'locale'),
    ...textOf(given, 'q'),
    ...textOf(given, 'sort', /^\w+:(asc|desc)$/),
    ...(words.length > 0 && { filters: words }),
    ...textOf(given, 'after'),
    ...(Number.isSafeInteger(skipped) && Number(skipped) > 0 && { skipped: Number(skipped) }),
  }
}

function textOf(
  given: Record<string, unknown>,
  name: string,
  form = /./,
): Readonly<Record<string, string>> {
  const value = given[name]
  // The router parses `q=12` as a number.
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && form.test(text) ? { [name]: text } : {}
}
