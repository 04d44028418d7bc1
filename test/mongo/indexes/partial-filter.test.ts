import { expect } from 'chai'
import * as fc from 'fast-check'
import { Decimal128, type Document, Long } from 'mongodb'
import { partialFilterText } from '../../../src/mongo/indexes/partial-filter.ts'
import { asMongodReports } from '../../faults/mongod-answers.ts'

const operand = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.integer(),
  fc.constantFrom(-Infinity, Infinity, null, false, true),
  fc.date({ noInvalidDate: true }),
)
const operators = fc.dictionary(fc.constantFrom('$eq', '$gt', '$gte', '$lt', '$lte'), operand, {
  minKeys: 1,
})
const filter: fc.Arbitrary<Document> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.oneof(operand, operators),
  { minKeys: 1 },
)

describe('partialFilterText', () => {
  it('is equal for a filter and its form reported by mongod', () => {
    fc.assert(
      fc.property(filter, (declared) => {
        expect(partialFilterText(asMongodReports(declared))).to.equal(partialFilterText(declared))
      }),
    )
  })

  it('ignores member order, nesting and number types', () => {
    const wanted = partialFilterText({ status: 'published', views: { $gte: 1, $lt: 5 } })
    for (const same of [
      { views: { $lt: 5, $gte: 1 }, status: 'published' },
      {
        $and: [
          { $and: [{ views: { $lt: 5n } }, { views: { $gte: 1n } }] },
          { status: 'published' },
        ],
      },
      { status: { $eq: 'published' }, $and: [{ views: { $gte: 1 } }], views: { $lt: 5 } },
    ]) {
      expect(partialFilterText(same)).to.equal(wanted)
    }
    expect(partialFilterText({})).to.equal(partialFilterText(null))
  })

  it('differs for different filters', () => {
    const others: readonly Document[] = [
      {},
      { a: 1 },
      { a: '1' },
      { a: null },
      { a: false },
      { a: -Infinity },
      { a: { $gt: 1 } },
      { a: { $gte: 1 } },
      { a: { $gt: -Infinity } },
      { a: { $gt: new Date(1) } },
      { a: Decimal128.fromString('1') },
      { b: 1 },
      { a: 1, b: 1 },
      { $or: [{ a: 1 }, { b: 1 }] },
      { a: { b: 1 } },
      { 'a.b': 1 },
    ]
    expect(new Set(others.map(partialFilterText)).size).to.equal(others.length)
    expect(partialFilterText({ a: Long.fromNumber(1) })).to.equal(partialFilterText({ a: 1 }))
  })
})
