import type { Location } from '../schema/values/location.ts'

/** Whether no two edges meet, except neighbors in their common point. Databases disagree about other polygons. */
export function isSimplePolygon(points: readonly Location[]): boolean {
  const edges = points.map(
    (from, index) => [from, points[(index + 1) % points.length] ?? from] as const,
  )
  return edges.every(([from, to], index) =>
    edges.slice(index + 1).every(([start, end], offset) => {
      if (offset === 0) return !turnsBack(from, to, end)
      const isLast = index === 0 && offset === edges.length - 2
      return isLast ? !turnsBack(start, from, to) : !meets(from, to, start, end)
    }),
  )
}

/** Positive for a left turn, negative for a right turn, 0 for points on a line. */
function turn(a: Location, b: Location, c: Location): number {
  return (
    (b.longitude - a.longitude) * (c.latitude - a.latitude) -
    (b.latitude - a.latitude) * (c.longitude - a.longitude)
  )
}

/** The edge from `b` to `c` lies on the edge from `a` to `b`, or one of them has no length. */
function turnsBack(a: Location, b: Location, c: Location): boolean {
  if (turn(a, b, c) !== 0) return false
  const along =
    (b.longitude - a.longitude) * (c.longitude - b.longitude) +
    (b.latitude - a.latitude) * (c.latitude - b.latitude)
  return along <= 0
}

function meets(a: Location, b: Location, c: Location, d: Location): boolean {
  const [one, two] = [Math.sign(turn(a, b, c)), Math.sign(turn(a, b, d))]
  const [three, four] = [Math.sign(turn(c, d, a)), Math.sign(turn(c, d, b))]
  if (one !== two && three !== four) return true
  return (
    (one === 0 && isBetween(a, b, c)) ||
    (two === 0 && isBetween(a, b, d)) ||
    (three === 0 && isBetween(c, d, a)) ||
    (four === 0 && isBetween(c, d, b))
  )
}

function isBetween(a: Location, b: Location, point: Location): boolean {
  return (
    point.longitude >= Math.min(a.longitude, b.longitude) &&
    point.longitude <= Math.max(a.longitude, b.longitude) &&
    point.latitude >= Math.min(a.latitude, b.latitude) &&
    point.latitude <= Math.max(a.latitude, b.latitude)
  )
}
