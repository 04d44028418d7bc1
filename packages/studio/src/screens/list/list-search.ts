import { type FilterItem, type FilterMatch, mayMatchAny, readFilterItems } from './filter-groups.ts'

/** The state of a list in its URL, which can be bookmarked and shared. */
export interface ListSearch {
  readonly locale?: string
  readonly q?: string
  /** Whether a type with a search index is searched for the text itself instead of its words. */
  readonly within?: boolean
  /** For example `title:asc`. */
  readonly sort?: string
  readonly filters?: readonly FilterItem[]
  readonly match?: FilterMatch
  /** Names of the columns of a saved view, in place of those that the user chose. */
  readonly columns?: readonly string[]
  readonly after?: string
  /** The number of entries on the previous pages. */
  readonly skipped?: number
}

/** Ignored values are set explicitly, because the router merges the result over the raw search. */
const NO_SEARCH = {
  locale: undefined,
  q: undefined,
  within: undefined,
  sort: undefined,
  filters: undefined,
  match: undefined,
  columns: undefined,
  after: undefined,
  skipped: undefined,
}

export function readListSearch(given: Record<string, unknown>): ListSearch {
  const { match, columns, skipped } = given
  const filters = readFilterItems(given['filters'])
  return {
    ...(NO_SEARCH as object),
    ...textOf(given, 'locale'),
    ...textOf(given, 'q'),
    ...(given['within'] === true && { within: true }),
    ...textOf(given, 'sort', /^\w+:(asc|desc)$/),
    ...(filters.length > 0 && { filters }),
    ...(match === 'any' && mayMatchAny(filters) && { match }),
    ...(isNames(columns) && { columns }),
    ...textOf(given, 'after'),
    ...(Number.isSafeInteger(skipped) && Number(skipped) > 0 && { skipped: Number(skipped) }),
  }
}

function isNames(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((one) => typeof one === 'string')
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

/** The search of a list in a saved view: its first page, with its present columns. */
export function viewedSearch(
  search: ListSearch,
  columns: readonly string[],
): Record<string, unknown> {
  const { after: _after, skipped: _skipped, ...rest } = search
  return definedOf(readListSearch({ ...rest, columns }))
}

/** Without members that this version of the Studio does not know. */
export function searchOfView(saved: Readonly<Record<string, unknown>>): ListSearch {
  const { after: _after, skipped: _skipped, ...rest } = readListSearch(saved)
  return rest
}

export function isSameSearch(one: ListSearch, other: ListSearch): boolean {
  return JSON.stringify(definedOf(one)) === JSON.stringify(definedOf(other))
}

function definedOf(search: ListSearch): Record<string, unknown> {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
}
