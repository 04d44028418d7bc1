import type { Document } from 'mongodb'
import type { Area, Box } from '../../query/area.ts'
import { circleRing, type RingCorner } from './circle-polygon.ts'

/**
 * Planar polygons and ranges of numbers: databases agree about them, unlike about `$centerSphere`.
 * Missing locations never match.
 */
export function translateArea(name: string, area: Area): Document {
  switch (area.kind) {
    case 'everywhere':
      return { [name]: { $ne: null } }
    case 'box':
      return translateBox(name, area)
    case 'polygon':
      return inRing(
        name,
        area.points.map(({ latitude, longitude }): RingCorner => [longitude, latitude]),
      )
    case 'circle': {
      const round = circleRing(area.center, area.radius)
      if (round === null) return { [name]: { $ne: null } }
      const within = inAnyTurn(name, round.ring)
      return round.isOutside ? { $and: [{ [name]: { $ne: null } }, { $nor: [within] }] } : within
    }
  }
}

function translateBox(name: string, { south, west, north, east }: Box): Document {
  const latitude = { [`${name}.coordinates.1`]: { $gte: south, $lte: north } }
  const longitude = `${name}.coordinates.0`
  if (west <= east) return { ...latitude, [longitude]: { $gte: west, $lte: east } }
  return {
    ...latitude,
    $or: [{ [longitude]: { $gte: west } }, { [longitude]: { $lte: east } }],
  }
}

const TURNS = [-360, 0, 360] as const

/** A ring that crosses 180° also matches on the other side. */
function inAnyTurn(name: string, ring: readonly RingCorner[]): Document {
  const turned = TURNS.map((turn) => ring.map(([east, north]): RingCorner => [east + turn, north]))
  const [only, ...others] = turned.filter(isOnEarth)
  if (only === undefined || others.length === 0) return inRing(name, only ?? ring)
  return { $or: [only, ...others].map((one) => inRing(name, one)) }
}

function isOnEarth(ring: readonly RingCorner[]): boolean {
  const longitudes = ring.map(([east]) => east)
  return Math.min(...longitudes) <= 180 && Math.max(...longitudes) >= -180
}

/** The ranges serve an index. */
function inRing(name: string, ring: readonly RingCorner[]): Document {
  return {
    [`${name}.coordinates.1`]: rangeOf(ring.map(([, north]) => north)),
    [`${name}.coordinates.0`]: rangeOf(ring.map(([east]) => east)),
    [name]: { $geoWithin: { $polygon: ring.map(([east, north]) => [east, north]) } },
  }
}

function rangeOf(values: readonly number[]): Document {
  return { $gte: Math.min(...values), $lte: Math.max(...values) }
}
