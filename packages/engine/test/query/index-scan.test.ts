import { rmSync } from 'node:fs'
import { Binary, Decimal128, Double, Long, serialize } from 'bson'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { compareValues } from '../../src/bson/compare.ts'
import { decodeDocument } from '../../src/bson/decode.ts'
import { encodeKey } from '../../src/bson/encode-key.ts'
import { encodeDocument } from '../../src/bson/encode.ts'
import { splitKey } from '../../src/bson/split-key.ts'
import { toDocument } from '../../src/bson/values.ts'
import type { Document, Value } from '../../src/bson/values.ts'
import { CommandError } from '../../src/errors.ts'
import { parseFilter } from '../../src/filter/filter.ts'
import { chooseCountPlan } from '../../src/query/count-keys.ts'
import { countRecords } from '../../src/query/count-records.ts'
import { planQuery, runQuery } from '../../src/query/run-query.ts'
import type { Query, QuerySource } from '../../src/query/run-query.ts'
import { compileSort, parseSort } from '../../src/filter/sort.ts'
import { describeIndex } from '../../src/storage/collection.ts'
import { ensureCollection, openData } from '../../src/storage/database.ts'
import type { Data } from '../../src/storage/database.ts'
import { describeValue } from '../../src/storage/describe-value.ts'
import { openStore } from '../../src/storage/store.ts'
import { createNewestView } from '../../src/storage/view.ts'
import {
  applyUnit,
  insertRecord,
  createUnit,
  removeRecord,
  replaceRecord,
} from '../../src/storage/write-unit.ts'
import { temporaryFolder } from '../contract/targets.ts'

const longs = fc
  .bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n })
  .map((value) => Long.fromBigInt(value))
const edges = fc.constantFrom<Value>(
  Long.fromString('9007199254740993'), new Double(9007199254740992), Decimal128.fromString('9007199254740992.5'), Decimal128.fromString('0.1'), new Double(0.1),
  Decimal128.fromString('1E+6000'), Decimal128.fromString('-1E+6000'), Decimal128.fromString('1E-6000'), Decimal128.fromString('-1E-6000'), new Double(Infinity), new Double(-Infinity), new Double(NaN),
  new Double(-0), 0, Decimal128.fromString('0E+3'), Decimal128.fromString('NaN'), Decimal128.fromString('-Infinity'), new Double(5e-324), Decimal128.fromString('1.0'), 1, Long.ONE, new Double(Number.MAX_VALUE),
) // prettier-ignore
const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 33n), max: 10n ** 33n }), fc.integer({ min: -40, max: 40 }))
  .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`))
const numbers: fc.Arbitrary<Value> = fc.oneof(
  fc.integer(),
  fc.integer({ min: -3, max: 3 }),
  fc.double().map((value) => new Double(value)),
  longs,
  decimals,
  edges,
)

const { value: values } = fc.letrec<{ value: Value; list: Value[]; document: Document }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    numbers, fc.string({ unit: 'binary', maxLength: 5 }), fc.constantFrom('', 'a', 'a\0', 'a\0b', 'ab', '\uff5e', '\u{1F600}'), fc.boolean(), fc.constant(null),
    fc.date({ noInvalidDate: true }), tie('list'), tie('document'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  document: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), tie('value')), { maxLength: 2 }).map((fields) => toDocument(Object.fromEntries(fields))),
})) // prettier-ignore

describe('index keys', () => {
  it('sort like their values', () => {
    fc.assert(
      fc.property(values, values, fc.constantFrom(1, -1), (a, b, direction) => {
        const order = Buffer.compare(encodeKey([a], [direction]), encodeKey([b], [direction]))
        expect(Math.sign(order)).to.equal(Math.sign(compareValues(a, b)) * direction || 0)
      }),
      { numRuns: 3000 },
    )
  })

  it('sort numbers of all types by their exact value', () => {
    // An independent comparison: both as fractions of integers.
    const exact = (value: Value): [bigint, bigint] => {
      const text = value instanceof Double ? fromDouble(value.value) : describeValue(value)
      const [mantissa = '', exponent = '0'] = text.toUpperCase().split('E')
      const [whole = '', part = ''] = mantissa.split('.')
      const power = Number(exponent) - part.length
      return power >= 0
        ? [BigInt(whole + part) * 10n ** BigInt(power), 1n]
        : [BigInt(whole + part), 10n ** BigInt(-power)]
    }
    const isFinite = (value: Value): boolean => !/Infinity|NaN/.test(describeValue(value))
    fc.assert(
      fc.property(numbers.filter(isFinite), numbers.filter(isFinite), (a, b) => {
        const [[n, m], [p, q]] = [exact(a), exact(b)]
        const wanted = n * q === p * m ? 0 : n * q < p * m ? -1 : 1
        expect(Math.sign(compareValues(a, b))).to.equal(wanted)
        expect(Buffer.compare(encodeKey([a], [1]), encodeKey([b], [1]))).to.equal(wanted)
      }),
      { numRuns: 3000 },
    )
  })

  it('sort in the order of their components', () => {
    fc.assert(
      fc.property(fc.tuple(values, values), fc.tuple(values, values), (a, b) => {
        const wanted =
          Math.sign(compareValues(a[0], b[0])) || -Math.sign(compareValues(a[1], b[1])) || 0
        expect(Buffer.compare(encodeKey(a, [1, -1]), encodeKey(b, [1, -1]))).to.equal(wanted)
      }),
      { numRuns: 1500 },
    )
  })

  it('are complete when the buffer grows at any position', () => {
    const one = {
      a: 1,
      b: new Double(1.5),
      c: Long.MAX_VALUE,
      d: 'text',
      e: null,
      f: true,
      g: new Date(5),
      h: [1, { i: 'x' }],
      j: new Binary(new Uint8Array(33), 0),
    }
    const plain = serialize({ list: Array.from({ length: 5000 }, () => one) })
    const document = decodeDocument(plain)
    expect(encodeDocument(document).equals(plain)).to.equal(true)
    // Data from before the buffer grew must be in the larger buffer.
    const list = document['list'] as Value[]
    expect(
      encodeKey([list], [1]).equals(
        Buffer.concat([
          Buffer.from([0x50]),
          ...list.map((value) => encodeKey([value], [1])),
          Buffer.from([0]),
        ]),
      ),
    ).to.equal(true)
  })

  it('survive encoding and decoding', () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = encodeDocument(toDocument({ value }))
        expect(encodeDocument(decodeDocument(bytes)).equals(bytes)).to.equal(true)
      }),
    )
  })
})

/** All digits of a double: BigInt keeps the digits that toString would round. */
function fromDouble(value: number): string {
  if (Number.isInteger(value)) return String(BigInt(value))
  let [scaled, power] = [value, 0]
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    power++
  }
  return `${BigInt(scaled) * 5n ** BigInt(power)}E-${power}`
}

const small: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.constantFrom<Value>(
    'x',
    'xy',
    'y',
    null,
    true,
    new Double(2),
    Long.fromNumber(3),
    'long '.repeat(600),
  ),
)
const fields: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: small },
  { weight: 1, arbitrary: fc.array(small, { maxLength: 3 }) },
)
const nested: fc.Arbitrary<Value> = fc.oneof(
  fields,
  fc.record({ d: fields }).map((value) => toDocument(value)),
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ d: fields }, { requiredKeys: [] }).map(toDocument) },
      { weight: 1, arbitrary: fc.constantFrom<Value>(null, 1, [toDocument({ d: 2 })]) },
    ),
    { maxLength: 2 },
  ),
)
const documents = fc
  .record({ a: fields, b: small, c: nested }, { requiredKeys: [] })
  .map((value) => toDocument(value))

const operand = fc.oneof(small, fc.integer({ min: 0, max: 4 }))
const conditions: fc.Arbitrary<Value> = fc.oneof(
  operand,
  fc
    .tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte', '$eq', '$ne'), operand)
    .map(([operator, value]) => toDocument({ [operator]: value })),
  fc.tuple(operand, operand).map(([low, high]) => toDocument({ $gte: low, $lt: high })),
  fc.array(small, { maxLength: 3 }).map((list) => toDocument({ $in: list })),
  fc.constantFrom<Value>(
    toDocument({ $exists: true }),
    toDocument({ $regex: '^x' }),
    toDocument({ $regex: '^xy?' }),
    toDocument({ $type: 'number' }),
  ),
)
const plainFilters = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'c.d'), conditions), { maxLength: 3 })
  .map((list) => toDocument(Object.fromEntries(list)))
const filters = fc.oneof(
  { weight: 3, arbitrary: plainFilters },
  {
    weight: 2,
    arbitrary: fc
      .tuple(plainFilters, fc.array(plainFilters, { minLength: 1, maxLength: 3 }))
      .map(([beside, branches]) => toDocument({ ...beside, $or: branches })),
  },
)
const sorts = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'c.d'), fc.constantFrom(1, -1)), { maxLength: 2 })
  .map((list) => toDocument(Object.fromEntries(list)))

const INDEXES: readonly Document[] = [
  toDocument({ name: 'a', key: toDocument({ a: 1 }) }),
  toDocument({ name: 'ba', key: toDocument({ b: 1, a: -1 }) }),
  toDocument({ name: 'cd', key: toDocument({ 'c.d': 1, b: 1 }) }),
  toDocument({ name: 'b', key: toDocument({ b: -1 }), sparse: true }),
  toDocument({ name: 'd', key: toDocument({ 'c.d': -1 }), sparse: true }),
  toDocument({
    name: 'p',
    key: toDocument({ a: 1, b: 1 }),
    partialFilterExpression: toDocument({ b: toDocument({ $gt: 1 }) }),
  }),
  toDocument({
    name: 'e',
    key: toDocument({ c: 1 }),
    partialFilterExpression: toDocument({ c: toDocument({ $exists: true }) }),
  }),
]

describe('splitKey', () => {
  it('returns the position of each component', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(values, fc.constantFrom(1, -1)), { minLength: 1, maxLength: 4 }),
        (components) => {
          const directions = components.map(([, direction]) => direction)
          const key = encodeKey(
            components.map(([value]) => value),
            directions,
          )
          const places = splitKey(Buffer.concat([Buffer.alloc(4), key]), 4, directions)
          const lengths = components.map(([value]) => encodeKey([value], []).length)
          const ends = lengths.map((_, i) =>
            lengths.slice(0, i + 1).reduce((sum, one) => sum + one),
          )
          expect(places).to.deep.equal([4, ...ends.map((end) => 4 + end)])
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('an index scan', () => {
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

  /** The same documents with and without indexes. Some are updated or deleted. */
  const fill = (
    rows: readonly Document[],
    indexes: readonly Document[],
  ): ReturnType<typeof ensureCollection> => {
    const collection = ensureCollection(data, 'test', `c${made++}`)
    collection.indexes = [
      ...collection.indexes,
      ...indexes.map((spec) => describeIndex(data.nextIndex++, spec)),
    ]
    data.store.write(() => {
      const unit = createUnit()
      rows.forEach((row, i) => {
        const document = toDocument({ _id: i, ...row })
        insertRecord(data, unit, collection, encodeDocument(document), document)
      })
      applyUnit(data, unit)
      const second = createUnit()
      const query = {
        filter: parseFilter(toDocument({})),
        sort: [],
        skip: 0,
        limit: Infinity,
      }
      const found = Array.from(runQuery({ data, view: createNewestView(), collection }, query))
      for (const record of found) {
        const id = Number(decodeDocument(record.bytes)['_id'])
        if (id % 5 === 3) removeRecord(data, second, collection, record)
        if (id % 5 === 4) {
          const document = toDocument({ ...decodeDocument(record.bytes), a: 2, b: 3 })
          replaceRecord(data, second, collection, record, {
            bytes: encodeDocument(document),
            document,
          })
        }
      }
      applyUnit(data, second)
    })
    data.commits++
    return collection
  }

  /** Null if the sort is refused because of two arrays. */
  const answer = (source: QuerySource, query: Query): readonly Document[] | null => {
    try {
      return [...runQuery(source, query)].map(({ bytes }) => decodeDocument(bytes))
    } catch (error) {
      if (error instanceof CommandError) return null
      throw error
    }
  }

  const used = { index: 0, union: 0, count: 0 }

  /** Queries both collections, and counts the chosen plans of the one with indexes. */
  const compare = (plain: QuerySource, indexed: QuerySource, query: Query): void => {
    const plan = planQuery(indexed, query)
    if (plan) used[plan.kind]++
    const { indexes } = indexed.collection
    used.count += Number(chooseCountPlan(indexes, query.filter, Infinity) !== null)
    const count = countRecords(plain, query)
    expect(countRecords(indexed, query)).to.equal(count)
    const [wanted, found] = [answer(plain, query), answer(indexed, query)]
    if (!wanted || !found) {
      expect(found).to.equal(wanted)
      return
    }
    expect(count).to.equal(wanted.length)
    expect(found).to.have.length(count)
    if (query.limit === Infinity) expect(idsOf(found)).to.deep.equal(idsOf(wanted))
    if (query.sort.length > 0)
      expect(sortKeysOf(found, query)).to.deep.equal(sortKeysOf(wanted, query))
  }

  it('returns the same documents as a full scan', () => {
    const property = fc.property(
      fc.array(documents, { maxLength: 14 }),
      fc.array(fc.tuple(filters, sorts, fc.constantFrom(3, Infinity)), {
        minLength: 5,
        maxLength: 12,
      }),
      fc.subarray([...INDEXES], { minLength: 1 }),
      (rows, queries, indexes) => {
        const [plain, indexed] = [fill(rows, []), fill(rows, indexes)]
        const view = createNewestView()
        for (const [filter, sort, limit] of queries) {
          const parsed = { filter: parseFilter(filter), sort: parseSort(sort) }
          const query = { ...parsed, skip: 0, limit }
          compare({ data, view, collection: plain }, { data, view, collection: indexed }, query)
        }
      },
    )
    fc.assert(property, { numRuns: 300 })
    expect(used.index).to.be.greaterThan(500)
    expect(used.union).to.be.greaterThan(100)
    expect(used.count).to.be.greaterThan(500)
  })
})

function idsOf(list: readonly Document[]): number[] {
  return list.map((document) => Number(document['_id'])).sort((a, b) => a - b)
}

function sortKeysOf(list: readonly Document[], { sort }: Query): string[] {
  const sorter = compileSort(sort)
  return list.map((document) => encodeKey([...sorter.keyOf(document)], []).toString('hex'))
}
