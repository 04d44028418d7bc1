import { isRecord } from '../base/is-record.ts'
import { parseNumber } from '../schema/values/attribute-kinds.ts'
import { type Location, MAX_LATITUDE, MAX_LONGITUDE } from '../schema/values/location.ts'
import type { Area, Box, Polygon } from './area.ts'
import { isSimplePolygon } from './simple-polygon.ts'
import { invalidValue } from './query-error.ts'

const MIN_POINTS = 3
export const MAX_POLYGON_POINTS = 100

type Given = Readonly<Record<string, unknown>>

/** Without a distance, every location is near. @throws ValidationError */
export function parseNear(value: unknown, at: string): Area {
  const given = members(value, at, ['latitude', 'longitude', 'maxDistance'])
  const center = readLocation(given, at)
  if (given['maxDistance'] === undefined) return { kind: 'everywhere', center }
  return { kind: 'circle', center, radius: readDistance(given, 'maxDistance', at) }
}

/** Exactly one of `box`, `circle` and `polygon`. @throws ValidationError */
export function parseWithin(value: unknown, at: string): Area {
  const given = members(value, at, ['box', 'circle', 'polygon'])
  const [name, ...others] = Object.keys(given)
  if (name === undefined || others.length > 0) {
    throw invalidValue(at, 'expected one of box, circle and polygon')
  }
  const within = `${at}[${name}]`
  if (name === 'box') return readBox(given[name], within)
  return name === 'circle' ? readCircle(given[name], within) : readPolygon(given[name], within)
}

function readBox(value: unknown, at: string): Box {
  const given = members(value, at, ['south', 'west', 'north', 'east'])
  const south = readNumber(given, 'south', at, MAX_LATITUDE)
  const north = readNumber(given, 'north', at, MAX_LATITUDE)
  if (south > north) throw invalidValue(`${at}[south]`, 'must not be greater than north')
  const west = readNumber(given, 'west', at, MAX_LONGITUDE)
  const east = readNumber(given, 'east', at, MAX_LONGITUDE)
  return { kind: 'box', south, west, north, east }
}

function readCircle(value: unknown, at: string): Area {
  const given = members(value, at, ['latitude', 'longitude', 'radius'])
  const center = readLocation(given, at)
  return { kind: 'circle', center, radius: readDistance(given, 'radius', at) }
}

/** The last point may repeat the first one, as in GeoJSON. */
function readPolygon(value: unknown, at: string): Polygon {
  if (!Array.isArray(value)) throw invalidValue(at, 'expected a list of points')
  const given: readonly unknown[] = value
  if (given.length > MAX_POLYGON_POINTS) {
    throw invalidValue(at, `at most ${MAX_POLYGON_POINTS} points`)
  }
  const read = given.map((one, index) => {
    const place = `${at}[${index}]`
    return readLocation(members(one, place, ['latitude', 'longitude']), place)
  })
  const points = isClosed(read) ? read.slice(0, -1) : read
  if (points.length < MIN_POINTS) throw invalidValue(at, `at least ${MIN_POINTS} points`)
  if (!isSimplePolygon(points)) throw invalidValue(at, 'two edges cross or touch each other')
  return { kind: 'polygon', points }
}

function isClosed(points: readonly Location[]): boolean {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length === 1) return false
  return first.latitude === last.latitude && first.longitude === last.longitude
}

function members(value: unknown, at: string, known: readonly string[]): Given {
  if (!isRecord(value)) throw invalidValue(at, `expected ${known.join(', ')}`)
  const other = Object.keys(value).find((key) => !known.includes(key))
  if (other === undefined) return value
  throw invalidValue(`${at}[${other.slice(0, 40)}]`, `is not known; expected ${known.join(', ')}`)
}

function readLocation(given: Given, at: string): Location {
  return {
    latitude: readNumber(given, 'latitude', at, MAX_LATITUDE),
    longitude: readNumber(given, 'longitude', at, MAX_LONGITUDE),
  }
}

function readNumber(given: Given, name: string, at: string, limit: number): number {
  const value = numberIn(given, name, at)
  if (Math.abs(value) > limit) {
    throw invalidValue(`${at}[${name}]`, `must be between -${limit} and ${limit}`)
  }
  return value
}

function readDistance(given: Given, name: string, at: string): number {
  const value = numberIn(given, name, at)
  if (value <= 0) throw invalidValue(`${at}[${name}]`, 'must be greater than 0')
  return value
}

function numberIn(given: Given, name: string, at: string): number {
  const text = given[name]
  if (text === undefined) throw invalidValue(`${at}[${name}]`, 'is required')
  const value = typeof text === 'string' ? parseNumber(text) : null
  if (value === null) throw invalidValue(`${at}[${name}]`, 'expected a number')
  return value + 0
}
