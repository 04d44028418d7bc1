import { badValue } from '../errors.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'

/** Longitude, then latitude. */
export type Position = readonly [number, number]

const FEWEST_POINTS = 3

/** Of the shapes of MongoDB, only a planar polygon is supported. */
export function parsePolygon(operand: Value): readonly Position[] {
  const keys = isDocument(operand) ? Object.keys(operand) : []
  if (!isDocument(operand) || keys.length !== 1 || keys[0] !== '$polygon') {
    throw badValue('$geoWithin takes $polygon only')
  }
  const points = operand['$polygon']
  if (!Array.isArray(points) || points.length < FEWEST_POINTS) {
    throw badValue('Polygon must have at least 3 points')
  }
  return points.map((point) => {
    const position = positionOf(point)
    if (position === null) throw badValue('Point must be an array of two numbers')
    return position
  })
}

/** Whether a GeoJSON point is in a polygon or on an edge of it. Other values are not. */
export function polygonTest(points: readonly Position[]): (value: Value) => boolean {
  return (value) => {
    if (!isDocument(value) || value['type'] !== 'Point') return false
    const position = positionOf(value['coordinates'])
    return position !== null && isInside(position, points)
  }
}

function positionOf(value: Value): Position | null {
  if (!Array.isArray(value)) return null
  const [x, y] = value
  return isNumber(x) && isNumber(y) ? [toDouble(x), toDouble(y)] : null
}

/** Counts the edges that a ray crosses: odd means inside. */
function isInside([x, y]: Position, points: readonly Position[]): boolean {
  let inside = false
  let before = points.at(-1)
  for (const point of points) {
    if (before !== undefined) {
      const [x1, y1] = before
      const [x2, y2] = point
      if (isOnEdge(x, y, before, point)) return true
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside
    }
    before = point
  }
  return inside
}

function isOnEdge(x: number, y: number, [x1, y1]: Position, [x2, y2]: Position): boolean {
  if (x < Math.min(x1, x2) || x > Math.max(x1, x2)) return false
  if (y < Math.min(y1, y2) || y > Math.max(y1, y2)) return false
  return (x2 - x1) * (y - y1) === (y2 - y1) * (x - x1)
}
