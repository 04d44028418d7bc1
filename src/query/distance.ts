import { EARTH_RADIUS } from './area.ts'
import type { Location } from '../schema/values/location.ts'

const DEGREE = Math.PI / 180

/** In meters, by the haversine formula, rounded to millimeters: equal distances have equal texts. */
export function distanceBetween(one: Location, other: Location): number {
  const north = Math.sin(((other.latitude - one.latitude) * DEGREE) / 2) ** 2
  const east = Math.sin(((other.longitude - one.longitude) * DEGREE) / 2) ** 2
  const cosines = Math.cos(one.latitude * DEGREE) * Math.cos(other.latitude * DEGREE)
  const sine = Math.min(1, Math.sqrt(north + cosines * east))
  return Math.round(2000 * EARTH_RADIUS * Math.asin(sine)) / 1000
}
