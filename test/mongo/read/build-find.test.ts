import { expect } from 'chai'
import { buildFind as build, buildProjection } from '../../../src/mongo/read/build-find.ts'
import { matchAll, translateFilter } from '../../../src/mongo/read/translate-filter.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { toCursor } from '../../../src/query/cursor.ts'
import type { Query } from '../../../src/query/query.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { planOf } from '../../fixtures/plans.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import type { ReadPlan } from '../../../src/mongo/read/run-read.ts'

const attributes = {
  title: { type: 'string' },
  views: { type: 'integer' },
  secret: { type: 'string', private: true },
  others: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' },
} as const
const plan = planOf({ attributes })
const localized = planOf({ attributes, localized: true, draftAndPublish: true })
const rules = rulesWith('en', 'fr')

const parse = (query: Data, of = plan): Query => parseQuery(query, of, rules)

/** Puts the conditions next to the version filter, as in a single find, without the answer limits. */
function buildFind(query: Query): Omit<ReadPlan, 'conditions' | 'answer'> {
  const match = query.filter === null ? {} : translateFilter(query.filter)
  const { conditions, filter, answer: _answer, ...rest } = build(query, { lookups: [], match })
  return { filter: matchAll([filter, conditions.match]), ...rest }
}
const PUBLISHED = { status: 'published', locale: '' }

describe('buildFind', () => {
  it('selects one page of versions in the order of their ids', () => {
    expect(buildFind(parse({}))).to.deep.equal({
      filter: PUBLISHED,
      order: { lookups: [], sort: { id: 1 } },
      chosen: [],
      skip: 0,
      limit: 25,
      projection: {
        _id: 0,
        id: 1,
        documentId: 1,
        locale: 1,
        title: 1,
        views: 1,
        createdAt: 1,
        updatedAt: 1,
        publishedAt: 1,
      },
    })
  })

  const selections: readonly (readonly [string, Data, object])[] = [
    ['the default locale', {}, { status: 'published', locale: 'en' }],
    ['drafts', { status: 'draft' }, { status: 'draft', locale: 'en' }],
    ['every locale', { locale: '*' }, { status: 'published', locale: { $in: ['en', 'fr'] } }],
    ['an unknown locale', { locale: 'xx' }, { status: 'published', locale: { $in: [] } }],
  ]
  for (const [label, query, expected] of selections) {
    it(`selects ${label}`, () => {
      expect(buildFind(parse(query, localized)).filter).to.deep.equal(expected)
    })
  }

  it('keeps the version condition separate from a filter on the locale', () => {
    const { filter } = buildFind(parse({ filters: { locale: 'fr' } }, localized))
    expect(filter).to.deep.equal({
      $and: [{ status: 'published', locale: { $in: ['en', 'fr'] } }, { locale: { $eq: 'fr' } }],
    })
  })

  it('omits the sort for at most one version', () => {
    const { order, filter } = buildFind(parse({ filters: { documentId: 'a' }, sort: 'views' }))
    expect(order).to.deep.equal({ lookups: [], sort: {} })
    const named = { $and: [{ _id: { $eq: 'a::published' } }, PUBLISHED] }
    expect(filter).to.deep.equal({ $and: [named, { documentId: { $eq: 'a' } }] })
  })

  it('sorts as requested and then by id in the direction of the last key', () => {
    const { order } = buildFind(parse({ sort: 'views:desc,title' }))
    expect(Object.entries(order.sort)).to.deep.equal([
      ['views', -1],
      ['title', 1],
      ['id', 1],
    ])
    const backwards = buildFind(parse({ sort: 'title,views:desc' })).order.sort
    expect(Object.entries(backwards)).to.deep.equal([
      ['title', 1],
      ['views', -1],
      ['id', -1],
    ])
  })

  const ranges: readonly (readonly [string, Data, number, number])[] = [
    ['a page', { page: '3', pageSize: '10' }, 20, 10],
    ['an offset', { start: '7', limit: '3' }, 7, 3],
    ['a first page by cursor with one extra entry', { cursor: '', pageSize: '10' }, 0, 11],
    ['a very high page', { page: '2147483647', pageSize: '100' }, 214748364600, 100],
  ]
  for (const [label, pagination, skip, limit] of ranges) {
    it(`translates ${label}`, () => {
      expect(buildFind(parse({ pagination }))).to.include({ skip, limit })
    })
  }

  const cursors: readonly (readonly [string, string, readonly unknown[], object])[] = [
    ['the id only', 'id', [7], { id: { $gt: 7 } }],
    ['the id, descending', 'id:desc', [7], { id: { $lt: 7 } }],
    [
      'an ascending value',
      'views',
      [3, 7],
      {
        $and: [
          { views: { $gte: 3 } },
          { $or: [{ views: { $gt: 3 } }, { $and: [{ views: { $eq: 3 } }, { id: { $gt: 7 } }] }] },
        ],
      },
    ],
    [
      'an ascending null',
      'views',
      [null, 7],
      { $or: [{ views: { $ne: null } }, { $and: [{ views: { $eq: null } }, { id: { $gt: 7 } }] }] },
    ],
    [
      'a descending value with nulls last',
      'views:desc',
      [3, 7],
      {
        $and: [
          { views: { $not: { $gt: 3 } } },
          {
            $or: [
              { views: { $not: { $gte: 3 } } },
              { $and: [{ views: { $eq: 3 } }, { id: { $lt: 7 } }] },
            ],
          },
        ],
      },
    ],
    [
      'a descending null with only nulls left',
      'views:desc',
      [null, 7],
      {
        $and: [
          { views: { $eq: null } },
          {
            $or: [{ views: { $in: [] } }, { $and: [{ views: { $eq: null } }, { id: { $lt: 7 } }] }],
          },
        ],
      },
    ],
  ]
  for (const [label, sort, values, expected] of cursors) {
    it(`continues after ${label}`, () => {
      const order = parse({ sort }).sort
      const { filter } = buildFind(parse({ sort, pagination: { cursor: toCursor(order, values) } }))
      const inline = '$and' in expected ? (expected.$and as readonly object[]) : [expected]
      expect([{ $and: [PUBLISHED, expected] }, { $and: [PUBLISHED, ...inline] }]).to.deep.include(
        filter,
      )
    })
  }

  it('reads the sort values of a cursor page even if they are not shown', () => {
    const query = { sort: 'views', fields: 'title', pagination: { cursor: '' } }
    expect(buildFind(parse(query)).projection).to.deep.equal({
      _id: 0,
      id: 1,
      documentId: 1,
      locale: 1,
      title: 1,
      views: 1,
    })
  })
})

describe('buildProjection', () => {
  it('contains the selected attributes and no private ones', () => {
    expect(buildProjection(plan, ['title'], [])).to.deep.equal({
      _id: 0,
      id: 1,
      documentId: 1,
      locale: 1,
      title: 1,
    })
    expect(buildProjection(plan, 'all', [])).to.not.have.any.keys('secret', 'status')
  })
})
