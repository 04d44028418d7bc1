import { Decimal128 } from 'mongodb'
import { expect } from 'chai'
import { boundPlaces } from '../../../src/mongo/read/translate-area.ts'
import { matchAll, translateFilter } from '../../../src/mongo/read/translate-filter.ts'
import { parseFilters } from '../../../src/query/parse-filters.ts'
import { type Filter, OPERATORS } from '../../../src/query/query.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'

const plan = planOf()

function translate(filters: unknown): unknown {
  const filter = parseFilters(filters, plan, rulesWith('en'))
  return filter === null ? null : translateFilter(filter)
}

const END = '(?![\\s\\S])'

describe('translateFilter', () => {
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ['eq', { integer: { $eq: '1' } }, { integer: { $eq: 1 } }],
    ['eqi', { string: { $eqi: 'a' } }, { string: { $regex: `^a${END}`, $options: 'i' } }],
    ['ne', { integer: { $ne: '1' } }, { integer: { $ne: 1 } }],
    ['nei', { string: { $nei: 'a' } }, { string: { $not: { $regex: `^a${END}`, $options: 'i' } } }],
    ['lt', { integer: { $lt: '1' } }, { integer: { $lt: 1 } }],
    ['lte', { integer: { $lte: '1' } }, { integer: { $lte: 1 } }],
    ['gt', { integer: { $gt: '1' } }, { integer: { $gt: 1 } }],
    ['gte', { integer: { $gte: '1' } }, { integer: { $gte: 1 } }],
    ['in', { string: { $in: ['a', 'b'] } }, { string: { $in: ['a', 'b'] } }],
    ['notIn', { string: { $notIn: ['a'] } }, { string: { $nin: ['a'] } }],
    ['contains', { string: { $contains: 'a' } }, { string: { $regex: 'a' } }],
    ['notContains', { string: { $notContains: 'a' } }, { string: { $not: { $regex: 'a' } } }],
    ['containsi', { string: { $containsi: 'a' } }, { string: { $regex: 'a', $options: 'i' } }],
    [
      'notContainsi',
      { string: { $notContainsi: 'a' } },
      { string: { $not: { $regex: 'a', $options: 'i' } } },
    ],
    ['startsWith', { string: { $startsWith: 'a' } }, { string: { $regex: '^a' } }],
    ['startsWithi', { string: { $startsWithi: 'a' } }, { string: { $regex: '^a', $options: 'i' } }],
    ['endsWith', { string: { $endsWith: 'a' } }, { string: { $regex: `a${END}` } }],
    [
      'endsWithi',
      { string: { $endsWithi: 'a' } },
      { string: { $regex: `a${END}`, $options: 'i' } },
    ],
    ['null', { string: { $null: 'true' } }, { string: { $eq: null } }],
    ['notNull', { string: { $notNull: 'true' } }, { string: { $ne: null } }],
    ['between', { integer: { $between: ['1', '2'] } }, { integer: { $gte: 1, $lte: 2 } }],
    [
      'near',
      { location: { $near: { latitude: '1', longitude: '2' } } },
      { location: { $ne: null } },
    ],
    [
      'within',
      { location: { $within: { box: { south: '1', west: '2', north: '3', east: '4' } } } },
      {
        'location.coordinates.1': { $gte: 1, $lte: 3 },
        'location.coordinates.0': { $gte: 2, $lte: 4 },
      },
    ],
  ]
  for (const [operator, filters, expected] of rows) {
    it(`translates $${operator}`, () => {
      expect(translate(filters)).to.deep.equal(expected)
    })
  }

  it('adds a range of points to each area that all entries are in, except for the embedded engine', () => {
    const box = { south: '1', west: '2', north: '3', east: '4' }
    const inside = { location: { $within: { box } } }
    const across = { location: { $within: { box: { ...box, west: '5' } } } }
    const filters = { $and: [inside, across, { $or: [inside] }, { $not: inside }] }
    const match = translate(filters) ?? {}
    const low = { type: 'Point', coordinates: [2] }
    const high = { type: 'Point', coordinates: [4, 91] }
    const range = { location: { $gte: low, $lte: high }, 'location.type': 'Point' }
    expect(boundPlaces({ isEmbedded: false }, match)).to.deep.equal({ $and: [match, range] })
    expect(boundPlaces({ isEmbedded: true }, match)).to.equal(match)
    expect(boundPlaces({ isEmbedded: false }, { a: 1 })).to.deep.equal({ a: 1 })
  })

  it('covers every operator', () => {
    expect(rows.map(([operator]) => operator)).to.have.members([...OPERATORS])
  })

  const trees: readonly (readonly [string, unknown, unknown])[] = [
    ['$null=false', { string: { $null: 'false' } }, { string: { $ne: null } }],
    ['$notNull=false', { string: { $notNull: 'false' } }, { string: { $eq: null } }],
    ['$not as the complement', { $not: { integer: '1' } }, { $nor: [{ integer: { $eq: 1 } }] }],
    [
      '$or',
      { $or: [{ integer: '1' }, { string: 'a' }] },
      { $or: [{ integer: { $eq: 1 } }, { string: { $eq: 'a' } }] },
    ],
    [
      'two conditions on one attribute',
      { integer: { $gt: '1', $lt: '5' } },
      { $and: [{ integer: { $gt: 1 } }, { integer: { $lt: 5 } }] },
    ],
    ['an empty operand list as no match', { string: { $contains: [] } }, { _id: { $in: [] } }],
    ['an empty list', { string: { $in: [] } }, { string: { $in: [] } }],
    [
      'all special pattern characters literally',
      { string: { $contains: '\\^$.*+?()[]{}|' } },
      { string: { $regex: '\\\\\\^\\$\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|' } },
    ],
  ]
  for (const [label, filters, expected] of trees) {
    it(`translates ${label}`, () => {
      expect(translate(filters)).to.deep.equal(expected)
    })
  }

  it('keeps all digits of decimals', () => {
    const filter = translate({ decimal: '0.12345678901234567890' }) as { decimal: { $eq: unknown } }
    expect(filter.decimal.$eq).to.be.instanceOf(Decimal128)
    expect(String(filter.decimal.$eq)).to.equal('0.12345678901234567890')
  })

  it('matches no entry for an empty $or and every entry for an empty $and', () => {
    const none: Filter = { kind: 'any', of: [] }
    expect(translateFilter(none)).to.deep.equal({ _id: { $in: [] } })
    expect(translateFilter({ kind: 'all', of: [] })).to.deep.equal({})
    expect(translateFilter({ kind: 'not', of: { kind: 'all', of: [] } })).to.deep.equal({
      $nor: [{}],
    })
  })
})

describe('matchAll', () => {
  it('omits empty conditions and never merges keys', () => {
    expect(matchAll([])).to.deep.equal({})
    expect(matchAll([{}, { a: 1 }, {}])).to.deep.equal({ a: 1 })
    expect(matchAll([{ a: 1 }, { a: 2 }])).to.deep.equal({ $and: [{ a: 1 }, { a: 2 }] })
  })
})
