import type { Location, LocationFilter } from '../content.ts'

type Near = NonNullable<LocationFilter['$near']>
type Within = NonNullable<LocationFilter['$within']>

/** In meters, as on the server. */
const EARTH_RADIUS = 6_371_008.8
const DEGREE = Math.PI / 180

export function isNear(location: Location, { maxDistance = Infinity, ...center }: Near): boolean {
  return distanceBetween(location, center) <= maxDistance
}

export function isWithin(location: Location, area: Within): boolean {
  const { latitude, longitude } = location
  if ('circle' in area) return distanceBetween(location, area.circle) <= area.circle.radius
  if ('polygon' in area) return isInPolygon(location, area.polygon)
  const { south, west, north, east } = area.box
  if (latitude < south || latitude > north) return false
  const [isEast, isWest] = [longitude >= west, longitude <= east]
  return west <= east ? isEast && isWest : isEast || isWest
}

/** By the haversine formula. */
export function distanceBetween(one: Location, other: Location): number {
  const north = Math.sin(((other.latitude - one.latitude) * DEGREE) / 2) ** 2
  const east = Math.sin(((other.longitude - one.longitude) * DEGREE) / 2) ** 2
  const cosines = Math.cos(one.latitude * DEGREE) * Math.cos(other.latitude * DEGREE)
  const sine = Math.min(1, Math.sqrt(north + cosines * east))
  return Math.round(2000 * EARTH_RADIUS * Math.asin(sine)) / 1000
}

/** Counts the edges that a ray crosses: odd means inside. Edges belong to the polygon. */
function isInPolygon(
  { latitude: y, longitude: x }: Location,
  points: readonly Location[],
): boolean {
  let inside = false
  for (const [index, to] of points.entries()) {
    const { latitude: y1, longitude: x1 } = points.at(index - 1) ?? to
    const { latitude: y2, longitude: x2 } = to
    const isOnLine = (x2 - x1) * (y - y1) === (y2 - y1) * (x - x1)
    if (isOnLine && isBetween(x, x1, x2) && isBetween(y, y1, y2)) return true
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside
  }
  return inside
}

function isBetween(value: number, one: number, other: number): boolean {
  return value >= Math.min(one, other) && value <= Math.max(one, other)
}
