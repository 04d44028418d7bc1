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
import { translateArea } from './translate-area.ts'
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
const FIRST_RADIUS = 10_000
const WHOLE_EARTH = Math.PI * EARTH_RADIUS

/** Closer to its edge, a polygon does not contain all of a circle. */
const CERTAIN = 0.998

async function findPlaces(
  database: Database,
  query: NearestQuery,
  conditions: Conditions,
): Promise<readonly Place[]> {
  const { skip, limit } = rangeOf(query.page)
  const wanted = skip + limit
  let radius = firstRadius(query)
  for (;;) {
    const isWhole = radius >= WHOLE_EARTH
    const found = await readCircle(database, query, conditions, { radius, isWhole, wanted })
    const certain = isWhole ? found : found.filter(({ distance }) => distance <= radius * CERTAIN)
    if (isWhole || certain.length >= wanted) return certain.slice(skip)
    radius *= growth(certain.length, wanted)
  }
}

/** With fallbacks, an entry is the first of its locales, which can be outside of a circle around another one. */
function firstRadius({ version, page }: NearestQuery): number {
  if (version.firstOnly === true) return WHOLE_EARTH
  const after = afterOf(page)
  return after === null ? FIRST_RADIUS : after.distance * 1.1 + FIRST_RADIUS
}

function growth(found: number, wanted: number): number {
  const estimate = found === 0 ? Infinity : 1.3 * Math.sqrt(wanted / found)
  return Math.max(1.5, Math.min(4, estimate))
}

interface Circle {
  readonly radius: number
  readonly isWhole: boolean
  readonly wanted: number
}

async function readCircle(
  database: Database,
  { plan, filter, version, nearest, page }: NearestQuery,
  conditions: Conditions,
  { radius, isWhole, wanted }: Circle,
): Promise<readonly Place[]> {
  const { path, center } = nearest
  const area: Document = isWhole ? {} : translateArea(path, { kind: 'circle', center, radius })
  const after = afterOf(page)
  const nearestPlaces = collectNearest(wanted)
  await visitVersions(
    database,
    plan,
    {
      filter: matchAll([matchNamed(filter, version), matchVersions(version), area]),
      conditions,
      order: UNORDERED,
      chosen: fallbackStages(plan, version),
      skip: 0,
      limit: 0,
      projection: { id: 1, [path]: 1 },
      answer: uncountedAnswer(),
    },
    (bytes) => {
      const row = BSON.deserialize(bytes, DECODING)
      const location = shownLocation(valueAt(row, path))
      if (location === null) return
      const distance = distanceBetween(center, location)
      const place = { _id: String(row['_id']), id: Number(row['id']), distance }
      if (after === null || byDistance(after, place) < 0) nearestPlaces.add(place)
    },
  )
  return nearestPlaces.list()
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
