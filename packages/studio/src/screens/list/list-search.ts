import { type FilterWord, isFilterWord } from './filter-words.ts'

/** The state of a list in its URL: it can be bookmarked and shared. */
export interface ListSearch {
  readonly locale?: string
  /** What is searched for in all texts. */
  readonly q?: string
  /** `title:asc`. */
  readonly sort?: string
  readonly filters?: readonly FilterWord[]
  /** The cursor of the page; absent on the first. */
  readonly after?: string
}

/** Refused values are explicit: the router merges the result over the raw search. */
const NOTHING = {
  locale: undefined,
  q: undefined,
  sort: undefined,
  filters: undefined,
  after: undefined,
}

/** Reads an address; what is not understood counts for nothing. */
export function readListSearch(given: Record<string, unknown>): ListSearch {
  const { filters } = given
  const words = Array.isArray(filters) ? filters.filter(isFilterWord) : []
  return {
    ...(NOTHING as object),
    ...textOf(given, 'locale'),
    ...textOf(given, 'q'),
    ...textOf(given, 'sort', /^\w+:(asc|desc)$/),
    ...(words.length > 0 && { filters: words }),
    ...textOf(given, 'after'),
  }
}

function textOf(
  given: Record<string, unknown>,
  name: string,
  form = /./,
): Readonly<Record<string, string>> {
  const value = given[name]
  // The router reads `q=12` as a number.
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && form.test(text) ? { [name]: text } : {}
}
