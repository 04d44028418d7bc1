/** A place as requests and responses show it, in degrees. */
export interface Location {
  readonly latitude: number
  readonly longitude: number
}

/** The stored form, a GeoJSON point: longitude, then latitude (RFC 7946, section 3.1.2). */
export interface Point {
  readonly type: 'Point'
  readonly coordinates: readonly [number, number]
}

export const MAX_LATITUDE = 90
export const MAX_LONGITUDE = 180

export function toPoint({ latitude, longitude }: Location): Point {
  return { type: 'Point', coordinates: [longitude, latitude] }
}

/** Null for any other stored value, such as one from before the attribute was a location. */
export function shownLocation(stored: unknown): Location | null {
  if (typeof stored !== 'object' || stored === null) return null
  const { type, coordinates } = stored as {
    readonly type?: unknown
    readonly coordinates?: unknown
  }
  if (type !== 'Point' || !Array.isArray(coordinates)) return null
  const [longitude, latitude] = coordinates as readonly unknown[]
  const areNumbers = typeof latitude === 'number' && typeof longitude === 'number'
  return areNumbers ? { latitude, longitude } : null
}

export interface LocationFault {
  readonly path: readonly string[]
  readonly code:
    'object.base' | 'any.required' | 'any.unknown' | 'number.base' | 'number.min' | 'number.max'
  readonly limit?: number
}

/** A location has exactly two numbers. A text is refused, because lists of texts with commas are ambiguous. */
export function parseLocation(value: unknown): Location | LocationFault {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { path: [], code: 'object.base' }
  }
  const given = value as Readonly<Record<string, unknown>>
  const other = Object.keys(given).find((key) => key !== 'latitude' && key !== 'longitude')
  if (other !== undefined) return { path: [other], code: 'any.unknown' }
  const latitude = coordinate(given['latitude'], MAX_LATITUDE)
  if (typeof latitude !== 'number') return { path: ['latitude'], ...latitude }
  const longitude = coordinate(given['longitude'], MAX_LONGITUDE)
  if (typeof longitude !== 'number') return { path: ['longitude'], ...longitude }
  return { latitude, longitude }
}

function coordinate(value: unknown, limit: number): number | Omit<LocationFault, 'path'> {
  if (value === undefined) return { code: 'any.required' }
  if (typeof value !== 'number' || !Number.isFinite(value)) return { code: 'number.base' }
  if (value < -limit) return { code: 'number.min', limit: -limit }
  if (value > limit) return { code: 'number.max', limit }
  return value + 0 // -0 becomes 0, which is equal in queries and in JSON
}
