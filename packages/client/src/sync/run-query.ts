import { comparable, compareValues } from './compare-values.ts'
import { matches } from './match-filter.ts'
import { follow, type Place, placeOf, type Reach } from './reach.ts'
import { type Asked, showEntry } from './show-entry.ts'

/** An untyped query. */
export interface AnyQuery extends Asked {
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

/** Reads a page of a type from memory. */
export function runQuery(reach: Reach, name: string, query: AnyQuery, usual: string): AnyPage {
  const { locale = usual, page = 1 } = query
  const seen = locale === '*' ? usual : locale // the locale of relations, for types without locales
  const places = reach.tables.list(name, locale).map((row) => placeOf(reach, name, row, seen))
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

/** Returns null if the store does not hold the entry. */
export function getEntry(
  reach: Reach,
  name: string,
  documentId: string,
  { locale, query }: { readonly locale: string; readonly query: Asked },
): object | null {
  const row = reach.tables.get(name, documentId, locale)
  if (row === undefined) return null
  return showEntry(reach, placeOf(reach, name, row, locale), query, arrange)
}

function arrange(reach: Reach, places: readonly Place[], asked: Asked): readonly Place[] {
  const { filters, sort } = asked
  const found =
    filters === undefined ? places : places.filter((place) => matches(reach, place, filters))
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
      return lastSign * (Number(one.place.data['id']) - Number(other.place.data['id']))
    })
    .map(({ place }) => place)
}

function valueAt(
  reach: Reach,
  place: Place,
  [name = '', ...rest]: readonly string[],
): ReturnType<typeof comparable> {
  const link = place.shape.links[name]
  if (link === undefined) return comparable(place.data[name], place.shape.kinds[name])
  const [target] = follow(reach, place, name, link)
  return target === undefined ? null : valueAt(reach, target, rest)
}
