import type { Location, LocationFilter } from '../content.ts'
import { toComparable, compareValues } from './compare-values.ts'
import { distanceBetween } from './match-area.ts'
import { matchesFilter } from './match-filter.ts'
import {
  followLink,
  orderOfId,
  type EntryPlace,
  toPlace,
  type QueryContext,
} from './query-context.ts'
import { rankPlaces } from './rank-places.ts'
import { type EntrySelection, showEntry } from './show-entry.ts'

export interface AnyQuery extends EntrySelection {
  readonly locale?: string
  readonly page?: number
  readonly pageSize?: number
  readonly rank?: string
}

interface AnyPage {
  readonly entries: object[]
  readonly total: number
  readonly page: number
  readonly pageCount: number
  readonly distances?: number[]
}

export function runQuery(
  reach: QueryContext,
  name: string,
  query: AnyQuery,
  usual: string,
): AnyPage {
  const { locale = usual, page = 1, rank } = query
  const seen = locale === '*' ? usual : locale // for types without locales
  const places = reach.tables.list(name, locale).map((row) => toPlace(reach, name, row, seen))
  const all = arrange(reach, places, { sort: 'id', ...query })
  const found = rank ? rankPlaces(all, rank) : all
  const [key] = keysOf(query)
  const pageSize = Math.max(1, query.pageSize ?? found.length)
  const shown = found.slice((page - 1) * pageSize, page * pageSize)
  return {
    entries: shown.map((place) => showEntry(reach, place, query, arrange)),
    total: found.length,
    page,
    pageCount: Math.ceil(found.length / pageSize),
    ...(key?.center && {
      distances: shown.map((place) => valueAt(reach, place, key.path, key.center) as number),
    }),
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
  const { filters = {} } = asked
  const found = places.filter((place) => matchesFilter(reach, place, filters))
  const compared = keysOf(asked)
  if (compared.length === 0) return found
  const lastSign = compared.at(-1)?.sign ?? 1
  return found
    .map((place) => ({
      place,
      values: compared.map(({ path, center }) => valueAt(reach, place, path, center)),
    }))
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

function keysOf({ filters, sort = [] }: EntrySelection) {
  return [sort].flat().map((key) => {
    const [name = '', direction] = key.split(':')
    const path = name.split('.')
    const center = direction === 'near' && pointOf(filters as Nested, path)
    return { path, sign: direction === 'desc' ? -1 : 1, center }
  })
}

interface Nested extends LocationFilter {
  readonly $and?: readonly Nested[]
  readonly [name: string]: unknown
}

function pointOf(filters: Nested = {}, path: readonly string[]): Location {
  const [center] = [filters, ...(filters.$and ?? [])].flatMap(
    (all) => path.reduce((one, name) => (one[name] ?? {}) as Nested, all).$near ?? [],
  )
  if (!center) throw new Error('no $near')
  return center
}

function valueAt(
  reach: QueryContext,
  place: EntryPlace,
  [name = '', ...rest]: readonly string[],
  center?: Location | false,
): ReturnType<typeof toComparable> {
  const link = place.shape.links[name]
  if (name === 'id') return orderOfId(place.data)
  if (link === undefined) {
    const value = place.data[name]
    return center
      ? distanceBetween(value as Location, center)
      : toComparable(value, place.shape.kinds[name])
  }
  const [target] = followLink(reach, place, name, link)
  return target === undefined ? null : valueAt(reach, target, rest, center)
}
