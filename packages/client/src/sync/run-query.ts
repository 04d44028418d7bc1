import { toComparable, compareValues } from './compare-values.ts'
import { matchesFilter } from './match-filter.ts'
import {
  followLink,
  orderOfId,
  type EntryPlace,
  toPlace,
  type QueryContext,
} from './query-context.ts'
import { type EntrySelection, showEntry } from './show-entry.ts'

export interface AnyQuery extends EntrySelection {
  readonly locale?: string
  readonly page?: number
  readonly pageSize?: number
}

interface AnyPage {
  readonly entries: object[]
  readonly total: number
  readonly page: number
  readonly pageCount: number
}

export function runQuery(
  reach: QueryContext,
  name: string,
  query: AnyQuery,
  usual: string,
): AnyPage {
  const { locale = usual, page = 1 } = query
  const seen = locale === '*' ? usual : locale // the locale of relations, for types without locales
  const places = reach.tables.list(name, locale).map((row) => toPlace(reach, name, row, seen))
  const found = arrange(reach, places, { sort: 'id', ...query })
  const pageSize = Math.max(1, query.pageSize ?? found.length)
  const shown = found.slice((page - 1) * pageSize, page * pageSize)
  return {
    entries: shown.map((place) => showEntry(reach, place, query, arrange)),
    total: found.length,
    page,
    pageCount: Math.ceil(found.length / pageSize),
  }
}

export function getEntry(
  reach: QueryContext,
  name: string,
  documentId: string,
  { locale, query }: { readonly locale: string; readonly query: EntrySelection },
): object | null {
  const row = reach.tables.get(name, documentId, locale)
  if (row === undefined) return null
  return showEntry(reach, toPlace(reach, name, row, locale), query, arrange)
}

function arrange(
  reach: QueryContext,
  places: readonly EntryPlace[],
  asked: EntrySelection,
): readonly EntryPlace[] {
  const { filters, sort } = asked
  const found =
    filters === undefined ? places : places.filter((place) => matchesFilter(reach, place, filters))
  const keys = typeof sort === 'string' ? [sort] : (sort ?? [])
  if (keys.length === 0) return found
  const compared = keys.map((key) => {
    const [path = '', direction] = key.split(':')
    return { path: path.split('.'), sign: direction === 'desc' ? -1 : 1 }
  })
  const lastSign = compared.at(-1)?.sign ?? 1
  return found
    .map((place) => ({ place, values: compared.map(({ path }) => valueAt(reach, place, path)) }))
    .sort((one, other) => {
      for (const [index, { sign }] of compared.entries()) {
        const order = compareValues(one.values[index] ?? null, other.values[index] ?? null)
        if (order !== 0) return sign * order
      }
      // Like the server: equal entries are sorted by id, in the direction of the last key.
      return lastSign * (orderOfId(one.place.data) - orderOfId(other.place.data))
    })
    .map(({ place }) => place)
}

function valueAt(
  reach: QueryContext,
  place: EntryPlace,
  [name = '', ...rest]: readonly string[],
): ReturnType<typeof toComparable> {
  const link = place.shape.links[name]
  if (name === 'id') return orderOfId(place.data)
  if (link === undefined) return toComparable(place.data[name], place.shape.kinds[name])
  const [target] = followLink(reach, place, name, link)
  return target === undefined ? null : valueAt(reach, target, rest)
}
