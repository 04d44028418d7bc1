import { expect } from 'chai'
import * as fc from 'fast-check'
import { EARTH_RADIUS } from '../../../src/query/area.ts'
import { boundPlaces } from '../../../src/mongo/read/translate-area.ts'
import { translateFilter } from '../../../src/mongo/read/translate-filter.ts'
import { isSimplePolygon } from '../../../src/query/simple-polygon.ts'
import type { Area, Box } from '../../../src/query/area.ts'
import type { Filter } from '../../../src/query/query.ts'
import type { ScalarPlan } from '../../../src/schema/plan.ts'
import { type Location, toPoint } from '../../../src/schema/values/location.ts'
import { planOf } from '../../fixtures/plans.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const plan = planOf()
const DEGREE = Math.PI / 180

/** In steps of ten meters. */
const degrees = (limit: number): fc.Arbitrary<number> =>
  fc.integer({ min: -limit * 10_000, max: limit * 10_000 }).map((steps) => steps / 10_000)
const latitudes = fc.oneof(degrees(90), fc.constantFrom(-90, -89.99, 0, 52.5, 89.9, 90))
const longitudes = fc.oneof(degrees(180), fc.constantFrom(-180, -179.99, 0, 13.4, 179.9, 180))
const locations = fc.record({ latitude: latitudes, longitude: longitudes })
const circles: fc.Arbitrary<Area> = fc.record({
  kind: fc.constant('circle' as const),
  center: locations,
  radius: fc.oneof(
    fc.double({ min: 1, max: 30_000_000, noNaN: true }),
    fc.double({ min: 0, max: 7, noNaN: true }).map((power) => 10 ** power),
  ),
})
const boxes: fc.Arbitrary<Area> = fc
  .tuple(latitudes, latitudes, longitudes, longitudes)
  .map(([one, other, west, east]) => {
    const [south, north] = [Math.min(one, other), Math.max(one, other)]
    return { kind: 'box', south, north, west, east }
  })
const polygons: fc.Arbitrary<Area> = fc
  .array(locations, { minLength: 3, maxLength: 6 })
  .filter(isSimplePolygon)
  .map((points) => ({ kind: 'polygon', points }))

/** In meters, by the haversine formula. */
function distance(one: Location, other: Location): number {
  const up = Math.sin(((other.latitude - one.latitude) * DEGREE) / 2) ** 2
  const along = Math.sin(((other.longitude - one.longitude) * DEGREE) / 2) ** 2
  const cosines = Math.cos(one.latitude * DEGREE) * Math.cos(other.latitude * DEGREE)
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(up + cosines * along)))
}

/** Null on the edge of the area, where databases and roundings differ. */
function isIn(area: Area, { latitude, longitude }: Location): boolean | null {
  switch (area.kind) {
    case 'everywhere':
      return true
    case 'box':
      return isInBox(area, { latitude, longitude })
    case 'circle': {
      const away = distance(area.center, { latitude, longitude })
      if (Math.abs(away - area.radius) <= area.radius * 0.001 + 0.01) return null
      return away < area.radius
    }
    case 'polygon':
      return isInPolygon(area.points, { latitude, longitude })
  }
}

function isInBox({ south, north, west, east }: Box, { latitude, longitude }: Location): boolean {
  if (latitude < south || latitude > north) return false
  const [isEast, isWest] = [longitude >= west, longitude <= east]
  return west <= east ? isEast && isWest : isEast || isWest
}

/** By the winding angle, unlike the code under test, which counts crossings. */
function isInPolygon(
  points: readonly Location[],
  { latitude, longitude }: Location,
): boolean | null {
  const angles = points.map((point) =>
    Math.atan2(point.latitude - latitude, point.longitude - longitude),
  )
  const turns = angles.map((angle, index) => {
    const turn = (angles[(index + 1) % angles.length] ?? angle) - angle
    return turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn
  })
  const isOnEdge = turns.some((turn) => Math.abs(Math.abs(turn) - Math.PI) < 1e-6)
  const isCorner = points.some(
    (point) => point.latitude === latitude && point.longitude === longitude,
  )
  if (isOnEdge || isCorner) return null
  return Math.abs(turns.reduce((sum, turn) => sum + turn, 0)) > Math.PI
}

function compare(operand: Area): Filter {
  const attribute = plan.members.get('location') as ScalarPlan
  return { kind: 'compare', attribute, operator: 'within', operand }
}

/** Circles that pass or hold a pole closely, where a straight edge can leave the circle. */
const AT_A_POLE: [Area][] = [
  { latitude: 0, longitude: 0, radius: 9_903_668 },
  { latitude: 0, longitude: 0, radius: 10_111_000 },
  { latitude: -52.5, longitude: 180, radius: 4_150_000 },
  { latitude: 90, longitude: 13.4, radius: 120_000 },
  { latitude: -89.99, longitude: -180, radius: 1_000 },
].map(({ radius, ...center }) => [{ kind: 'circle', center, radius }])

const PLACES: readonly Location[] = fc.sample(locations, { numRuns: 400, seed: 37 })

describe('areas in the database', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('areas')
    await test.database
      .collection(plan.collectionName)
      .insertMany([
        ...PLACES.map((place, n) => ({ n, location: toPoint(place) })),
        { n: -1, location: null },
        { n: -2 },
      ])
  })

  after(() => test.drop())

  const find = async (filter: Filter, isEmbedded = true): Promise<ReadonlySet<number>> => {
    const rows = await test.database
      .collection<{ readonly n: number }>(plan.collectionName)
      .find(boundPlaces({ isEmbedded }, translateFilter(filter)))
      .toArray()
    return new Set(rows.map(({ n }) => n))
  }

  for (const [name, areas] of Object.entries({ circles, boxes, polygons })) {
    it(`match the definition of ${name}, and $not matches the rest`, async () => {
      await fc.assert(
        fc.asyncProperty(areas, async (area) => {
          const [found, others] = await Promise.all([
            find(compare(area)),
            find({ kind: 'not', of: compare(area) }),
          ])
          expect(await find({ kind: 'all', of: [compare(area)] }, false)).to.deep.equal(found)
          expect(found.size + others.size).to.equal(PLACES.length + 2)
          expect([others.has(-1), others.has(-2)]).to.deep.equal([true, true])
          for (const [n, place] of PLACES.entries()) {
            const expected = isIn(area, place)
            if (expected === null) continue
            expect(found.has(n), `${JSON.stringify(place)} in ${JSON.stringify(area)}`).to.equal(
              expected,
            )
          }
        }),
        { numRuns: 60, examples: name === 'circles' ? AT_A_POLE : [] },
      )
    })
  }

  it('match a location on the edge of a box and of a polygon', async () => {
    const corner = (latitude: number, longitude: number): Location => ({ latitude, longitude })
    const rows = [corner(10, 20), corner(10, 25), corner(15, 30), corner(20, 30)]
    await test.database
      .collection(plan.collectionName)
      .insertMany(rows.map((place, index) => ({ n: 1000 + index, location: toPoint(place) })))
    const points = [corner(10, 20), corner(10, 30), corner(20, 30), corner(20, 20)]
    const added = [1000, 1001, 1002, 1003]
    const areas: readonly Area[] = [
      { kind: 'box', south: 10, west: 20, north: 20, east: 30 },
      { kind: 'polygon', points },
    ]
    for (const area of areas) {
      const found = await find(compare(area))
      expect(added.filter((n) => found.has(n))).to.deep.equal(added)
    }
    await test.database.collection(plan.collectionName).deleteMany({ n: { $gte: 1000 } })
  })
})
