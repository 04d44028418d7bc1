import type { Location } from '../schema/values/location.ts'

/** The mean radius of the earth in meters (IUGG). */
export const EARTH_RADIUS = 6_371_008.8

/** The operand of `$near` and `$within`. Distances are in meters, coordinates in degrees. */
export type Area = Circle | Box | Polygon | Everywhere

/** Every location. The center is only a point to measure distances from. */
export interface Everywhere {
  readonly kind: 'everywhere'
  readonly center: Location
}

export interface Circle {
  readonly kind: 'circle'
  readonly center: Location
  readonly radius: number
}

/** Crosses 180° if `west` is greater than `east`. */
export interface Box {
  readonly kind: 'box'
  readonly south: number
  readonly west: number
  readonly north: number
  readonly east: number
}

/** Its edges are straight lines in longitude and latitude (RFC 7946, section 3.1.1). It does not cross 180°. */
export interface Polygon {
  readonly kind: 'polygon'
  readonly points: readonly Location[]
}
