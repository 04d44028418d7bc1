import { rmSync } from 'node:fs'
import { Decimal128, Double, Long } from 'bson'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { decodeDocument } from '../../src/bson/decode.ts'
import { encodeDocument } from '../../src/bson/encode.ts'
import { toDocument } from '../../src/bson/values.ts'
import type { Document, Value } from '../../src/bson/values.ts'
import { parseFilter } from '../../src/filter/filter.ts'
import { parseSort } from '../../src/filter/sort.ts'
import { countRecords } from '../../src/query/count-records.ts'
import { planQuery, runQuery } from '../../src/query/run-query.ts'
import type { Query, QuerySource } from '../../src/query/run-query.ts'
import { describeIndex } from '../../src/storage/collection.ts'
import { ensureCollection, openData } from '../../src/storage/database.ts'
import type { Data } from '../../src/storage/database.ts'
import { openStore } from '../../src/storage/store.ts'
import { countKeys, createNewestView, scanRecords } from '../../src/storage/view.ts'
import { applyUnit, createUnit, insertRecord, replaceRecord } from '../../src/storage/write-unit.ts'
import { temporaryFolder } from '../contract/targets.ts'

const coordinates: fc.Arbitrary<Value> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 4, arbitrary: fc.integer({ min: -6, max: 6 }).map((half) => new Double(half / 2)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Value>(Decimal128.fromString('1.1'), toDocument({ c: 1 })),
  },
  fc.constantFrom<Value>(
    Long.fromNumber(2),
    Decimal128.fromString('2'),
    new Double(NaN),
    new Double(-0),
    new Double(-Infinity),
    new Double(-180.5),
    180,
    null,
    'x',
  ),
)
const pairs = fc.tuple(coordinates, coordinates).map(([x, y]): Value => [x, y])
const places: fc.Arbitrary<Value> = fc.oneof(
  {
    weight: 9,
    arbitrary: pairs.map((pair) => toDocument({ type: 'Point', coordinates: pair })),
  },
  pairs.map((pair) => toDocument({ type: 'Other', coordinates: pair })),
  fc
    .tuple(coordinates, coordinates)
    .map(([x, y]) => toDocument({ type: 'Point', coordinates: toDocument({ 0: x, 1: y }) })),
  fc.constantFrom<Value>(null, 1, toDocument({ type: 'Point' })),
)
/** Make the index multikey. */
const listed: fc.Arbitrary<Value> = fc.oneof(
  fc.array(places, { maxLength: 2 }),
  fc.constant(toDocument({ type: 'Point', coordinates: [1] })),
)
const rowsOf = (place: fc.Arbitrary<Value>): fc.Arbitrary<readonly Document[]> =>
  fc.array(
    fc
      .record(
        { kind: fc.constantFrom('a', 'b'), at: place, n: fc.integer({ min: 0, max: 5 }) },
        { requiredKeys: ['kind'] },
      )
      .map(toDocument),
    { maxLength: 25 },
  )

const halves = fc.integer({ min: -8, max: 8 }).map((half) => half / 2)
const range = fc.oneof(
  fc
    .tuple(halves, fc.integer({ min: 0, max: 5 }))
    .map(([low, length]) => toDocument({ $gte: new Double(low), $lte: new Double(low + length) })),
  fc
    .tuple(
      fc.constantFrom('$gt', '$gte', '$lt', '$lte'),
      fc.oneof(
        halves.map((half) => new Double(half)),
        fc.constantFrom<Value>(Decimal128.fromString('1.05'), -180, 180),
      ),
    )
    .map(([operator, end]) => toDocument({ [operator]: end })),
)
const corner = fc.tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 4 }))
const SQUARE = [[-4, -4], [-4, 4], [4, 4], [4, -4]] // prettier-ignore
const polygon = fc
  .oneof(fc.constant(SQUARE), fc.array(corner, { minLength: 3, maxLength: 6 }))
  .map((corners) =>
    toDocument({ $geoWithin: toDocument({ $polygon: corners.map((one): Value => [...one]) }) }),
  )
const conditions = fc
  .record(
    {
      kind: fc.constant('a'),
      'at.coordinates.1': fc.oneof(range, fc.constant(toDocument({ $ne: 1 }))),
      'at.coordinates.0': fc.oneof(range, fc.constantFrom<Value>(2, null)),
      at: polygon,
      n: fc.constantFrom<Value>(1, null, toDocument({ $gte: 1 }), toDocument({ $in: [0, 3] })),
    },
    { requiredKeys: ['kind'] },
  )
  .map(toDocument)
const filters = fc.oneof(
  conditions,
  fc
    .array(conditions, { minLength: 1, maxLength: 3 })
    .map((branches) => toDocument({ kind: 'a', $or: branches })),
  conditions.map((none) => toDocument({ kind: 'a', $nor: [none] })),
)

describe('a scan that tests keys before it reads records', () => {
  let directory: string
  let data: Data
  let made = 0
  before(() => {
    directory = temporaryFolder()
    data = openData(openStore({ directory, durable: false }))
  })
  after(async () => {
    await data.store.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const fill = (rows: readonly Document[], ...keys: readonly Document[]): QuerySource => {
    const collection = ensureCollection(data, 'test', `c${made++}`)
    const added = keys.map((key, i) =>
      describeIndex(data.nextIndex++, toDocument({ name: `index${i}`, key })),
    )
    collection.indexes = [...collection.indexes, ...added]
    data.store.write(() => {
      const unit = createUnit()
      rows.forEach((row, i) => {
        const document = toDocument({ _id: i, ...row })
        insertRecord(data, unit, collection, encodeDocument(document), document)
      })
      applyUnit(data, unit)
    })
    data.commits++
    return { data, view: createNewestView(), collection }
  }

  const list = (source: QuerySource, query: Query): readonly number[] =>
    [...runQuery(source, query)]
      .map(({ bytes }) => Number(decodeDocument(bytes)['_id']))
      .sort((one, other) => one - other)

  const keys = fc
    .constantFrom(1, -1)
    .chain((north) =>
      fc
        .constantFrom(1, -1)
        .map((east) =>
          toDocument({ kind: 1, 'at.coordinates.1': north, 'at.coordinates.0': east, n: -1 }),
        ),
    )

  for (const [title, place] of [
    ['places', places],
    ['places and lists of places', fc.oneof({ weight: 3, arbitrary: places }, listed)],
  ] as const) {
    it(`finds and counts the documents of a full scan, among ${title}`, () => {
      fc.assert(
        fc.property(
          rowsOf(place),
          keys,
          fc.array(filters, { minLength: 4, maxLength: 8 }),
          (rows, key, asked) => {
            const [plain, indexed] = [fill(rows), fill(rows, key)]
            for (const filter of asked) {
              const query = { filter: parseFilter(filter), sort: [], skip: 0, limit: Infinity }
              const expected = list(plain, query)
              expect(list(indexed, query)).to.deep.equal(expected)
              expect(countRecords(indexed, query)).to.equal(expected.length)
            }
          },
        ),
        { numRuns: 300 },
      )
    })
  }

  const GRID_KEY = toDocument({ kind: 1, 'at.coordinates.1': 1, 'at.coordinates.0': 1, n: 1 })

  it('still decides polygons after a point became another value with the same coordinates', () => {
    const rows = ['Point', 'Other'].map((type) =>
      toDocument({ kind: 'a', at: toDocument({ type, coordinates: [2, 2] }) }),
    )
    const filter = parseFilter(
      toDocument({
        kind: 'a',
        'at.coordinates.0': toDocument({ $gte: -4, $lte: 4 }),
        at: toDocument({ $geoWithin: toDocument({ $polygon: SQUARE.map((one): Value => one) }) }),
      }),
    )
    const query = { filter, sort: [], skip: 0, limit: Infinity }
    const source = fill(rows.slice(0, 1), GRID_KEY)
    expect(countRecords(source, query)).to.equal(1)
    const [record] = [...scanRecords(data, source.view, source.collection)]
    if (record === undefined) throw new Error('the row is missing')
    const document = toDocument({ _id: 0, ...rows[1] })
    data.store.write(() => {
      const unit = createUnit()
      replaceRecord(data, unit, source.collection, record, {
        bytes: encodeDocument(document),
        document,
      })
      applyUnit(data, unit)
    })
    data.commits++
    expect(countRecords(source, query)).to.equal(0)
    expect(list(source, query)).to.deep.equal([])
  })

  const grid = Array.from({ length: 400 }, (_, i) =>
    toDocument({
      kind: 'a',
      at: toDocument({ type: 'Point', coordinates: [i % 20, Math.floor(i / 20)] }),
      n: i,
    }),
  )

  it('reads only the documents in an area', () => {
    const source = fill(grid, GRID_KEY)
    const triangle = [[3, 3], [8, 3], [3, 8]] // prettier-ignore
    const filter = toDocument({
      kind: 'a',
      'at.coordinates.1': toDocument({ $gte: 3, $lte: 8 }),
      'at.coordinates.0': toDocument({ $gte: 3, $lte: 8 }),
      at: toDocument({ $geoWithin: toDocument({ $polygon: triangle }) }),
    })
    const counts = { examined: 0, keys: 0 }
    const query = { filter: parseFilter(filter), sort: [], skip: 0, limit: Infinity, counts }
    expect(list(source, query)).to.have.length(21)
    expect(counts.examined).to.equal(21)
  })

  const BOX = {
    kind: 'a',
    'at.coordinates.1': toDocument({ $gte: 3, $lte: 8 }),
    'at.coordinates.0': toDocument({ $gte: 2, $lt: 8 }),
  }
  for (const [title, filter, expected] of [
    ['a box', toDocument(BOX), 36],
    [
      'a polygon',
      toDocument({
        ...BOX,
        at: toDocument({ $geoWithin: toDocument({ $polygon: [[3, 3], [8, 3], [3, 8]] }) }), // prettier-ignore
      }),
      20,
    ],
  ] as const) {
    it(`counts ${title} without reading a document`, () => {
      const source = fill(grid, GRID_KEY)
      const counts = { examined: 0, keys: 0 }
      const query = { filter: parseFilter(filter), sort: [], skip: 0, limit: Infinity, counts }
      expect(countRecords(source, query)).to.equal(expected)
      expect(counts.examined).to.equal(0)
    })
  }

  it('reads an area in another order if that reads fewer records', () => {
    const rows = Array.from({ length: 64 * 64 }, (_, n) => {
      const coordinates = [n % 64, Math.floor(n / 64)]
      return toDocument({ kind: 'a', at: toDocument({ type: 'Point', coordinates }), n })
    })
    const source = fill(rows, toDocument({ kind: 1, n: 1 }), GRID_KEY)
    const indexOf = (side: number): string | undefined => {
      const within = toDocument({ $gte: 1, $lte: side })
      const filter = { kind: 'a', 'at.coordinates.1': within, 'at.coordinates.0': within }
      const sort = parseSort(toDocument({ n: 1 }))
      const query = { filter: parseFilter(toDocument(filter)), sort, skip: 0, limit: 20 }
      const plan = planQuery(source, query)
      return plan?.kind === 'index' ? plan.index.name : undefined
    }
    // A page in order reads about 4,096 * 20 / 256 records.
    expect(indexOf(16)).to.equal('index1')
    expect(indexOf(40)).to.equal('index0')
  })

  it('reads the keys of near longitudes only', () => {
    const source = fill(grid, GRID_KEY)
    const filter = parseFilter(toDocument(BOX))
    const plan = planQuery(source, { filter, sort: [], skip: 0, limit: Infinity })
    if (plan?.kind !== 'index') throw new Error('the query has no index')
    // Seven bands of one degree, from 2 to 8, with six latitudes each.
    expect(countKeys(data, source.view, plan.intervals, Infinity)).to.equal(42)
  })
})
