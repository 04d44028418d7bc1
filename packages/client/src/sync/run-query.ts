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
import type { ComparedKey, PageRequest, Row } from './storage.ts'

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
  const { page = 1, pageSize } = query
  const limit = pageSize === undefined ? null : Math.max(1, pageSize)
  const start = limit === null ? 0 : (page - 1) * limit
  const { places: shown, total } = readPage(reach, name, query, { usual, start, limit })
  const [key] = keysOf(query)
  return {
    entries: shown.map((place) => showEntry(reach, place, query, arrange)),
    total,
    page,
    pageCount: Math.ceil(total / Math.max(1, limit ?? total)),
    ...(key?.center && {
      distances: shown.map((place) => valueAt(reach, place, key) as number),
    }),
  }
}

/** The storage reads the page if it can filter and sort like `arrange`. */
function readPage(
  reach: QueryContext,
  name: string,
  { locale, filters = {}, sort, rank }: AnyQuery,
  { usual, start, limit }: Pick<PageRequest, 'start' | 'limit'> & { readonly usual: string },
): { readonly places: readonly EntryPlace[]; readonly total: number } {
  const asked = { filters, sort: orId(sort) }
  const shownLocale = locale ?? (namesLocale(filters) ? '*' : usual)
  const seen = shownLocale === '*' ? usual : shownLocale // for types without locales
  const arranged = (rows: readonly Row[]): readonly EntryPlace[] => {
    const places = rows.map((row) => toPlace(reach, name, row, seen))
    return arrange(reach, places, asked)
  }
  const request = { locale: shownLocale, filters, keys: keysOf(asked), start, limit }
  const paged = rank ? undefined : reach.tables.findPage?.(name, request, arranged)
  if (paged !== undefined) return paged
  const all = arranged(reach.tables.list(name, shownLocale, filters))
  const found = rank ? rankPlaces(all, rank) : all
  return { places: found.slice(start, start + (limit ?? found.length)), total: found.length }
}

function orId(sort: AnyQuery['sort'] = []): string | readonly string[] {
  return sort.length > 0 ? sort : 'id'
}

/** Like the server: a condition on the locale replaces the default. */
function namesLocale(filter: object): boolean {
  return Object.entries(filter).some(
    ([name, asked]: [string, unknown]) =>
      asked !== undefined &&
      (name === 'locale' ||
        (name.startsWith('$') && [asked].flat().some((one) => namesLocale(one as object)))),
  )
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
      values: compared.map((key) => valueAt(reach, place, key)),
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
  { path: [name = '', ...rest], sign, center }: ComparedKey,
): ReturnType<typeof toComparable> {
  const link = place.shape.links[name]
  if (name === 'id') return orderOfId(place.data)
  if (link === undefined) {
    const value = place.data[name]
    return center
      ? distanceBetween(value as Location, center)
      : toComparable(value, place.shape.kinds[name])
  }
  // Of several targets, the server compares the lowest value, or the highest in descending order.
  const values = followLink(reach, place, name, link).map((target) =>
    valueAt(reach, target, { path: rest, sign, center }),
  )
  return values.reduce(
    (best, one) => (sign * compareValues(one, best) < 0 ? one : best),
    values[0] ?? null,
  )
}
