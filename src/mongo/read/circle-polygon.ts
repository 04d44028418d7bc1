import { EARTH_RADIUS } from '../../query/area.ts'
import type { Location } from '../../schema/values/location.ts'

/** Longitude, then latitude, in degrees. */
export type RingCorner = readonly [number, number]

/** Far from the poles, the edges of so many corners leave the circle by less than 0.01 % of its radius. */
const CORNERS = 256

/** In meters. The coordinates of smaller circles are equal within the precision of a double. */
const MIN_RADIUS = 0.001

const DEGREE = Math.PI / 180

export interface RoundArea {
  /** The longitudes can exceed 180°. */
  readonly ring: readonly RingCorner[]
  /** The area is everything outside of the ring. */
  readonly isOutside: boolean
}

/** Null for a circle around the whole earth. */
export function circleRing({ latitude, longitude }: Location, meters: number): RoundArea | null {
  const radius = Math.max(meters, MIN_RADIUS) / EARTH_RADIUS
  if (radius >= Math.PI) return null
  const center = latitude * DEGREE
  const holdsNorth = center + radius >= Math.PI / 2
  const holdsSouth = center - radius <= -Math.PI / 2
  if (holdsNorth && holdsSouth) {
    // The rest of the earth is a circle around the opposite point, without a pole.
    return { ring: ringOf(-center, longitude + 180, Math.PI - radius), isOutside: true }
  }
  if (!holdsNorth && !holdsSouth)
    return { ring: ringOf(center, longitude, radius), isOutside: false }
  return { ring: polarRing(center, longitude, radius, holdsNorth ? 1 : -1), isOutside: false }
}

function ringOf(center: number, longitude: number, radius: number): readonly RingCorner[] {
  const corners = cornersOf({ center, radius }, 0)
  return corners.slice(1).map(([east, north]) => [longitude + east, north])
}

/** All longitudes between the edge of the circle and the pole. */
function polarRing(
  center: number,
  longitude: number,
  radius: number,
  pole: 1 | -1,
): readonly RingCorner[] {
  const circle = { center, radius }
  // From the point beyond the pole once around, so that the longitudes have one direction.
  const corners = isPole(center)
    ? parallelOf(circle, pole)
    : cornersOf(circle, pole === 1 ? 0 : -Math.PI)
  const start = pole === 1 ? 180 : -180
  const ring: readonly RingCorner[] = [
    [start, pole * 90],
    [start, corners[0]?.[1] ?? pole * 90],
    ...corners.slice(1, -1),
    [-start, corners.at(-1)?.[1] ?? pole * 90],
    [-start, pole * 90],
  ]
  return ring.map(([east, north]) => [longitude + east, north])
}

/** In radians. */
interface Cap {
  readonly center: number
  readonly radius: number
}

function isPole(center: number): boolean {
  return Math.cos(center) < 1e-9
}

/** The edge of a circle around a pole. */
function parallelOf({ center, radius }: Cap, pole: 1 | -1): readonly RingCorner[] {
  const north = (center - pole * radius) / DEGREE
  return [
    [pole * 180, north],
    [-pole * 180, north],
  ]
}

/** Points at the distance `radius`, by bearing, once around. Longitudes are relative to the center. */
function cornersOf(cap: Cap, from: number): readonly RingCorner[] {
  const bearings = Array.from({ length: CORNERS + 1 }, (_, corner) => {
    return from + (corner / CORNERS) * 2 * Math.PI
  })
  return bearings.flatMap((bearing, index) => {
    const before = bearings[index - 1]
    return before === undefined ? [cornerAt(cap, bearing)] : edgeTo(cap, before, bearing)
  })
}

/** By coordinates in space, which are exact to a nanometer at the poles as well, unlike an arc sine. */
function cornerAt({ center, radius }: Cap, bearing: number): RingCorner {
  const [sin, cos] = [Math.sin(center), Math.cos(center)]
  const [across, along] = [Math.sin(radius), Math.cos(radius)]
  const x = cos * along - sin * across * Math.cos(bearing)
  const y = across * Math.sin(bearing)
  const z = sin * along + cos * across * Math.cos(bearing)
  return [Math.atan2(y, x) / DEGREE, Math.atan2(z, Math.hypot(x, y)) / DEGREE]
}

const MAX_SPLITS = 8
const TOLERANCE = 0.0004

/** The corners after `from`. Near a pole, a straight edge can leave the circle, so it is split. */
function edgeTo(cap: Cap, from: number, to: number, depth = 0): readonly RingCorner[] {
  const [start, end] = [cornerAt(cap, from), cornerAt(cap, to)]
  if (depth === MAX_SPLITS || isClose(cap, start, end)) return [end]
  const middle = (from + to) / 2
  return [...edgeTo(cap, from, middle, depth + 1), ...edgeTo(cap, middle, to, depth + 1)]
}

function isClose({ center, radius }: Cap, start: RingCorner, end: RingCorner): boolean {
  return [0.1, 0.25, 0.5, 0.75, 0.9].every((share) => {
    const east = (start[0] + (end[0] - start[0]) * share) * DEGREE
    const north = (start[1] + (end[1] - start[1]) * share) * DEGREE
    const up = Math.sin((north - center) / 2) ** 2
    const along = Math.cos(center) * Math.cos(north) * Math.sin(east / 2) ** 2
    const away = 2 * Math.asin(Math.min(1, Math.sqrt(up + along)))
    return Math.abs(away - radius) <= radius * TOLERANCE
  })
}
