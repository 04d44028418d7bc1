import type { Document } from 'mongodb'
import type { Area, Box } from '../../query/area.ts'
import type { Database } from '../connection/database.ts'
import { circleRing, type RingCorner } from './circle-polygon.ts'

const EAST = '.coordinates.0'

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
        area.points.map(({ latitude, longitude }) => [longitude, latitude]),
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
  const longitude = name + EAST
  if (west <= east) return { ...latitude, [longitude]: { $gte: west, $lte: east } }
  return { ...latitude, $or: [{ [longitude]: { $gte: west } }, { [longitude]: { $lte: east } }] }
}

/** A ring that crosses 180° also matches on the other side. */
function inAnyTurn(name: string, ring: readonly RingCorner[]): Document {
  const [first = ring, ...others] = [-360, 0, 360]
    .map((turn) => ring.map(([east, north]): RingCorner => [east + turn, north]))
    .filter((one) => one.some(([east]) => east <= 180) && one.some(([east]) => east >= -180))
  if (others.length === 0) return inRing(name, first)
  return { $or: [first, ...others].map((one) => inRing(name, one)) }
}

/** The ranges serve an index. */
function inRing(name: string, ring: readonly RingCorner[]): Document {
  return {
    [`${name}.coordinates.1`]: rangeOf(ring.map(([, north]) => north)),
    [name + EAST]: rangeOf(ring.map(([east]) => east)),
    [name]: { $geoWithin: { $polygon: ring.map(([east, north]) => [east, north]) } },
  }
}

function rangeOf(values: readonly number[]): Document {
  return { $gte: Math.min(...values), $lte: Math.max(...values) }
}

/** Adds ranges of whole points, which begin with the longitude. They serve an index that the embedded engine does not have. */
export function boundPlaces(database: Pick<Database, 'isEmbedded'>, match: Document): Document {
  const ranges = database.isEmbedded ? [] : pointRanges(match)
  return ranges.length === 0 ? match : { $and: [match, ...ranges] }
}

function pointRanges(match: Document): readonly Document[] {
  return Object.entries(match).flatMap(([key, value]: [string, Document]) => {
    if (!key.endsWith(EAST)) return key === '$and' ? (value as Document[]).flatMap(pointRanges) : []
    const $gte = { type: 'Point', coordinates: [value['$gte']] }
    const $lte = { type: 'Point', coordinates: [value['$lte'], 91] } // beyond each latitude
    const name = key.slice(0, -EAST.length)
    // DocumentDB expects fewer rows of an equality. Otherwise it reads pages of a box by the index of their order.
    return [{ [name]: { $gte, $lte }, [`${name}.type`]: 'Point' }]
  })
}
