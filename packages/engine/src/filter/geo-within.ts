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
  const contains = compilePolygon(points)
  return (value) => {
    if (!isDocument(value) || value['type'] !== 'Point') return false
    const position = positionOf(value['coordinates'])
    return position !== null && contains(position[0], position[1])
  }
}

function positionOf(value: Value): Position | null {
  if (!Array.isArray(value)) return null
  const [x, y] = value
  return isNumber(x) && isNumber(y) ? [toDouble(x), toDouble(y)] : null
}

interface Edge {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
}

/**
 * Whether a point is in a polygon or on an edge of it. Counts the edges that a ray crosses: odd means
 * inside.
 */
export function compilePolygon(points: readonly Position[]): (x: number, y: number) => boolean {
  const edges = points.map(([x2, y2], i): Edge => {
    const [x1, y1] = points.at(i - 1) ?? [NaN, NaN]
    return { x1, y1, x2, y2 }
  })
  return (x, y) => {
    let inside = false
    for (const edge of edges) {
      if (isAboveOrBelow(edge, y)) continue
      if (isOnEdge(edge, x, y)) return true
      if (isCrossed(edge, x, y)) inside = !inside
    }
    return inside
  }
}

function isAboveOrBelow({ y1, y2 }: Edge, y: number): boolean {
  return y < Math.min(y1, y2) || y > Math.max(y1, y2)
}

/** For a point at the height of the edge. */
function isOnEdge({ x1, y1, x2, y2 }: Edge, x: number, y: number): boolean {
  if (x < Math.min(x1, x2) || x > Math.max(x1, x2)) return false
  return (x2 - x1) * (y - y1) === (y2 - y1) * (x - x1)
}

function isCrossed({ x1, y1, x2, y2 }: Edge, x: number, y: number): boolean {
  return y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1
}
