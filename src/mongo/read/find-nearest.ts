import { BSON, type Document } from 'mongodb'
import { uncountedAnswer } from '../../query/answer-size.ts'
import { EARTH_RADIUS } from '../../query/area.ts'
import { distanceBetween } from '../../query/distance.ts'
import type { NearestOrder, Page, Query } from '../../query/query.ts'
import { shownLocation } from '../../schema/values/location.ts'
import type { Database } from '../connection/database.ts'
import { DECODING } from '../versions/stored-version.ts'
import { matchVersions } from '../versions/version-match.ts'
import { rangeOf } from './build-find.ts'
import { countVersions, type VersionPage } from './count-versions.ts'
import { matchNamed } from './read-unique.ts'
import { readNamed } from './read-named.ts'
import { resolveQuery } from './read-versions.ts'
import { visitVersions } from './run-read.ts'
import { UNORDERED } from './sort-plan.ts'
import { fallbackStages } from './target-version.ts'
import { boundPlaces, translateArea } from './translate-area.ts'
import { type Conditions, matchAll } from './translate-filter.ts'

export type NearestQuery = Query & { readonly nearest: NearestOrder }

export function isNearestQuery(query: Query): query is NearestQuery {
  return query.nearest !== undefined
}

export interface NearestPage extends VersionPage {
  /** In meters, in the order of `versions`. */
  readonly distances: readonly number[]
  /** The values of the cursor of the next page. Null on the last page. */
  readonly next: readonly [distance: number, id: number] | null
}

interface Place {
  readonly _id: string
  readonly id: number
  readonly distance: number
}

/**
 * Reads circles that grow until one has enough entries. Databases disagree about the order of `$geoNear`, so the
 * distances are computed here, and entries with equal distances follow each other by id.
 */
export async function findNearestPage(
  database: Database,
  query: NearestQuery,
): Promise<NearestPage> {
  const { conditions, counted } = await resolveQuery(database, query)
  const [places, count] = await Promise.all([
    findPlaces(database, query, conditions),
    countVersions(database, query, counted),
  ])
  const { page } = query
  const shown = page.kind === 'cursor' ? places.slice(0, page.pageSize) : places
  const last = places.length > shown.length ? shown.at(-1) : undefined
  const ids = shown.map(({ _id }) => _id)
  const found = ids.length === 0 ? [] : await readNamed(database, query, conditions, ids)
  const byId = new Map(found.map((version) => [version._id, version]))
  const rows = shown.flatMap(({ _id, distance }) => {
    const version = byId.get(_id)
    return version === undefined ? [] : [{ version, distance }]
  })
  return {
    versions: rows.map(({ version }) => version),
    distances: rows.map(({ distance }) => distance),
    next: last === undefined ? null : [last.distance, last.id],
    ...count,
  }
}

/** In meters. */
const FIRST_RADIUS = 20_000
const WHOLE_EARTH = Math.PI * EARTH_RADIUS

/** Closer to its edge, a polygon does not contain all of a circle. */
const CERTAIN = 0.998

async function findPlaces(
  database: Database,
  query: NearestQuery,
  conditions: Conditions,
): Promise<readonly Place[]> {
  const { skip, limit } = rangeOf(query.page)
  let circle = firstCircle(query, skip + limit)
  for (;;) {
    const { radius, wanted } = circle
    const isWhole = radius >= circle.maxRadius
    const { found, isCut } = await readCircle(database, query, conditions, circle)
    const certain = isWhole ? found : found.filter(({ distance }) => distance <= radius * CERTAIN)
    if (!isCut && (isWhole || certain.length >= wanted)) return certain.slice(skip)
    circle = isCut ? smallerCircle(circle) : largerCircle(circle, certain.length)
  }
}

/** Radii are in meters. */
interface Circle {
  readonly radius: number
  /** A circle with this radius holds all entries of the list. */
  readonly maxRadius: number
  readonly wanted: number
  /** Ends the read early if the circle holds so many entries. A smaller one then holds the page as well. */
  readonly limit: number
  /** The largest radius that was found to hold too few entries. */
  readonly tooSmall: number
  /** The smallest radius that was found to hold `limit` entries. */
  readonly tooLarge: number
}

function firstCircle({ version, page, nearest }: NearestQuery, wanted: number): Circle {
  const after = afterOf(page)
  // With fallbacks, an entry is the first of its locales, which can be outside of a circle around another one.
  const isOfLocales = version.firstOnly === true
  const maxRadius = isOfLocales ? WHOLE_EARTH : Math.min(WHOLE_EARTH, nearest.maxDistance / CERTAIN)
  const radius = isOfLocales ? WHOLE_EARTH : (after?.distance ?? 0) * 1.1 + FIRST_RADIUS
  return {
    radius: Math.min(radius, maxRadius),
    maxRadius,
    wanted,
    // After a cursor, a circle also holds all entries before it.
    limit: isOfLocales || after !== null ? Infinity : 4 * wanted + 100,
    tooSmall: 0,
    tooLarge: Infinity,
  }
}

/** In meters, and as a ratio. Beyond these, equal distances are likely, and no smaller circle helps. */
const LEAST_RADIUS = 10
const LEAST_RATIO = 1.2

function smallerCircle(circle: Circle): Circle {
  const { radius, tooSmall } = circle
  const next = tooSmall === 0 ? radius / 4 : Math.sqrt(tooSmall * radius)
  if (next < LEAST_RADIUS || radius < tooSmall * LEAST_RATIO) return unlimited(circle, radius)
  return { ...circle, radius: next, tooLarge: radius }
}

function largerCircle(circle: Circle, found: number): Circle {
  const { radius, tooLarge, wanted, maxRadius } = circle
  if (tooLarge < radius * LEAST_RATIO) return unlimited(circle, tooLarge)
  const next = Math.min(radius * growth(found, wanted), Math.sqrt(radius * tooLarge), maxRadius)
  return { ...circle, radius: next, tooSmall: radius }
}

function unlimited(circle: Circle, radius: number): Circle {
  return { ...circle, radius, limit: Infinity, tooLarge: Infinity }
}

function growth(found: number, wanted: number): number {
  const estimate = found === 0 ? Infinity : 1.3 * Math.sqrt(wanted / found)
  return Math.max(1.5, Math.min(4, estimate))
}

async function readCircle(
  database: Database,
  { plan, filter, version, nearest, page }: NearestQuery,
  conditions: Conditions,
  circle: Circle,
): Promise<{ readonly found: readonly Place[]; readonly isCut: boolean }> {
  const { path, center } = nearest
  const { radius, maxRadius, wanted, limit } = circle
  const isWhole = radius >= maxRadius
  const area: Document = isWhole ? {} : translateArea(path, { kind: 'circle', center, radius })
  const after = afterOf(page)
  const nearestPlaces = collectNearest(wanted)
  let read = 0
  await visitVersions(
    database,
    plan,
    {
      filter: matchAll([
        matchNamed(filter, version),
        matchVersions(version),
        boundPlaces(database, area),
      ]),
      conditions,
      order: UNORDERED,
      chosen: fallbackStages(plan, version, conditions),
      skip: 0,
      limit: limit === Infinity ? 0 : limit,
      projection: { id: 1, [path]: 1 },
      answer: uncountedAnswer(),
    },
    (bytes) => {
      read += 1
      const row = BSON.deserialize(bytes, DECODING)
      const location = shownLocation(valueAt(row, path))
      if (location === null) return
      const distance = distanceBetween(center, location)
      const place = { _id: String(row['_id']), id: Number(row['id']), distance }
      if (after === null || byDistance(after, place) < 0) nearestPlaces.add(place)
    },
  )
  return { found: nearestPlaces.list(), isCut: read >= limit }
}

function valueAt(row: Document, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Document | null | undefined)?.[name], row)
}

type PlaceKey = Pick<Place, 'distance' | 'id'>

function afterOf(page: Page): PlaceKey | null {
  if (page.kind !== 'cursor' || page.after === null) return null
  const [distance, id] = page.after
  return { distance: Number(distance), id: Number(id) }
}

function byDistance(one: PlaceKey, other: PlaceKey): number {
  return one.distance === other.distance ? one.id - other.id : one.distance - other.distance
}

/** Holds at most twice as many places as wanted. */
function collectNearest(wanted: number) {
  let places: Place[] = []
  const cut = (): void => {
    places = places.sort(byDistance).slice(0, wanted)
  }
  return {
    add: (place: Place): void => {
      places.push(place)
      if (places.length > 2 * wanted) cut()
    },
    list: (): readonly Place[] => {
      cut()
      return places
    },
  }
}
