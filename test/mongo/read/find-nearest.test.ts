import { expect } from 'chai'
import * as fc from 'fast-check'
import { compileCollections } from '../../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../../src/mongo/indexes/sync-indexes.ts'
import { findNearestPage, isNearestQuery } from '../../../src/mongo/read/find-nearest.ts'
import { versionId } from '../../../src/mongo/versions/version-match.ts'
import { distanceBetween } from '../../../src/query/distance.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { type Location, toPoint } from '../../../src/schema/values/location.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const plan = planOf({ attributes: { kind: { type: 'string' }, location: { type: 'location' } } })
const rules = rulesWith('en')

/** Each has more entries than a circle reads for a page of 20. */
const SPOTS: readonly Location[] = [
  { latitude: 52.52, longitude: 13.405 },
  { latitude: 52.5201, longitude: 13.405 },
  { latitude: -18.14, longitude: 179.99 },
  { latitude: -18.14, longitude: -179.99 },
  { latitude: 90, longitude: 0 },
  { latitude: -89.9, longitude: 120 },
]
const AT_A_SPOT = 230
const ELSEWHERE = 300

const degrees = (limit: number): fc.Arbitrary<number> =>
  fc.integer({ min: -limit * 1000, max: limit * 1000 }).map((steps) => steps / 1000)
const anywhere = fc.record({ latitude: degrees(90), longitude: degrees(180) })
const spots = fc.constantFrom(...SPOTS)
/** So close that all entries of a spot are at the edge of a small circle. */
const besideASpot = fc
  .tuple(spots, fc.double({ min: -0.2, max: 0.2, noNaN: true }))
  .map(([{ latitude, longitude }, north]) => ({
    latitude: Math.max(-90, Math.min(90, latitude + north)),
    longitude,
  }))
const centers = fc.oneof(spots, besideASpot, anywhere)
const pages = fc.oneof(
  fc.record({ start: fc.constantFrom(0, 0, 7, 230), limit: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ page: fc.constantFrom(1, 2, 9), pageSize: fc.constantFrom(1, 20) }),
)

/** A query string has texts only. */
function toTexts(value: object): Record<string, unknown> {
  const text = JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'number' ? String(one) : one,
  )
  return JSON.parse(text) as Record<string, unknown>
}

const idOf = (id: number): string => versionId(`d${id}`, { locale: '', status: 'published' })

interface Row {
  readonly id: number
  readonly kind: string
  readonly location: Location | null
}

describe('findNearestPage', () => {
  let test: TestDatabase
  const rows = new Map<number, Row>()
  const collection = () => test.database.collection<{ _id: string }>(plan.collectionName)

  before(async () => {
    test = await openTestDatabase('find_nearest')
    const others = fc.sample(anywhere, { numRuns: ELSEWHERE, seed: 37 })
    const locations = [...SPOTS.flatMap((spot) => Array<Location>(AT_A_SPOT).fill(spot)), ...others]
    for (const [id, location] of locations.entries()) {
      rows.set(id, { id, kind: id % 97 === 0 ? 'rare' : 'common', location })
    }
    const times = { createdAt: new Date(0), updatedAt: new Date(0), publishedAt: new Date(0) }
    const stored = [...rows.values()].map(({ id, kind, location }) => ({
      _id: idOf(id),
      id,
      documentId: `d${id}`,
      locale: '',
      status: 'published',
      ...times,
      kind,
      location: location && toPoint(location),
    }))
    // Not in the order of ids, so that equal distances are found in another order.
    await collection().insertMany(stored.toSorted((one, other) => (one.id % 7) - (other.id % 7)))
    const contentTypes = new Map([[plan.uid, plan]])
    await syncIndexes(test.database, [...compileCollections({ contentTypes }).values()])
  })

  after(() => test.drop())

  const move = async (id: number, location: Location | null): Promise<void> => {
    const row = rows.get(id)
    if (row === undefined) return
    rows.set(id, { ...row, location })
    const set = { location: location && toPoint(location) }
    await collection().updateOne({ _id: idOf(id) }, { $set: set })
  }

  const remove = async (id: number): Promise<void> => {
    rows.delete(id)
    await collection().deleteOne({ _id: idOf(id) })
  }

  const listNaively = (center: Location, maxDistance: number, kind: string | undefined) =>
    [...rows.values()]
      .flatMap(({ id, location, ...row }) =>
        location !== null && (kind === undefined || row.kind === kind)
          ? [{ id, distance: distanceBetween(center, location) }]
          : [],
      )
      .filter(({ distance }) => distance <= maxDistance)
      .sort((one, other) => one.distance - other.distance || one.id - other.id)

  const ids = fc.integer({ min: 0, max: SPOTS.length * AT_A_SPOT + ELSEWHERE - 1 })
  const changes = fc.record({
    moves: fc.array(fc.tuple(ids, fc.option(fc.oneof(spots, anywhere))), { maxLength: 3 }),
    removed: ids,
    isEmbedded: fc.boolean(),
  })
  const maxDistances = fc.option(
    fc.double({ min: 0, max: 7.4, noNaN: true }).map((power) => 10 ** power),
    { nil: undefined },
  )

  it('returns the page of a naive sort, between updates and deletes', async () => {
    await fc.assert(
      fc.asyncProperty(
        centers,
        maxDistances,
        fc.constantFrom(undefined, undefined, 'rare', 'absent'),
        pages,
        changes,
        async (center, maxDistance, kind, pagination, { moves, removed, isEmbedded }) => {
          for (const [id, location] of moves) await move(id, location)
          await remove(removed)
          const far = maxDistance ?? Infinity
          const all = listNaively(center, far, kind)
          const isUnsure = ({ distance }: { distance: number }): boolean =>
            Math.abs(distance - far) <= 0.001 * far + 0.1
          fc.pre(far === Infinity || !listNaively(center, Infinity, kind).some(isUnsure))
          const filters = {
            location: { $near: { ...center, maxDistance } },
            ...(kind !== undefined && { kind }),
          }
          const sent = toTexts({ filters, sort: 'location:near', pagination })
          const query = parseQuery(sent, plan, rules)
          if (!isNearestQuery(query)) throw new Error('the order is not by distance')
          const found = await findNearestPage({ ...test.database, isEmbedded }, query)
          const [start, limit] =
            'start' in pagination
              ? [pagination.start, pagination.limit]
              : [(pagination.page - 1) * pagination.pageSize, pagination.pageSize]
          const expected = all.slice(start, start + limit)
          expect(found.versions.map(({ id }) => id)).to.deep.equal(expected.map(({ id }) => id))
          expect(found.distances).to.deep.equal(expected.map(({ distance }) => distance))
          expect(found.total).to.equal(all.length)
        },
      ),
      { numRuns: modelRuns('NEAREST_RUNS', 40, 400) },
    )
  })
})
