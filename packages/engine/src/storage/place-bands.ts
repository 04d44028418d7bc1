import { Double } from 'bson'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { followPath } from '../filter/key-tuples.ts'

/** The components of an index that hold the coordinates of a GeoJSON point. */
export interface PlaceFields {
  readonly path: string
  readonly parts: readonly string[]
  readonly north: number
  readonly east: number
}

const [NORTH, EAST] = ['.coordinates.1', '.coordinates.0'] as const

interface IndexedPath {
  readonly path: string
  readonly parts: readonly string[]
  readonly direction: 1 | -1
}

/** Null for an index without latitude and longitude, one after the other and ascending. */
export function findPlaceFields(fields: readonly IndexedPath[]): PlaceFields | null {
  for (const [north, { path, parts, direction }] of fields.entries()) {
    const next = fields[north + 1]
    if (!path.endsWith(NORTH) || direction !== 1 || next?.direction !== 1) continue
    const place = path.slice(0, -NORTH.length)
    if (next.path === place + EAST)
      return { path: place, parts: parts.slice(0, -2), north, east: north + 1 }
  }
  return null
}

/** In degrees. */
const BAND_WIDTH = 1
/** For longitudes that are no numbers. */
const NO_BAND = 0
export const FIRST_BAND = 1
export const LAST_BAND = FIRST_BAND + 360 / BAND_WIDTH
export const BAND_BYTES = 2

/** Ascends with the longitude. */
export function bandOf(longitude: Value): number {
  const degrees = isNumber(longitude) ? toDouble(longitude) : NaN
  if (Number.isNaN(degrees)) return NO_BAND
  const band = FIRST_BAND + Math.floor((degrees + 180) / BAND_WIDTH)
  return Math.max(FIRST_BAND, Math.min(LAST_BAND, band))
}

/** Whether a polygon cannot be decided by the coordinates in the key: no GeoJSON point, or no doubles. */
export function isOddPlace({ parts }: PlaceFields, document: Document): boolean {
  const { value, rest } = followPath(document, parts)
  if (rest !== null || !isDocument(value)) return false
  const { type, coordinates } = value
  const [east, north] = [0, 1].map((axis) => followPath(coordinates, [String(axis)]).value)
  if (!isNumber(east) || !isNumber(north)) return false
  return type !== 'Point' || !Array.isArray(coordinates) || !isDouble(east) || !isDouble(north)
}

function isDouble(value: Value): boolean {
  return typeof value === 'number' || value instanceof Double
}
