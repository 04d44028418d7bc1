import { expect } from 'chai'
import { adviseIndexes } from '../../../src/cli/doctor/advise-indexes.ts'
import type { QueryStat } from '../../../src/mongo/observe/query-stats.ts'
import { planOf } from '../../fixtures/plans.ts'

const THING = planOf()

const INDEXES = [
  ['_id'],
  ['documentId'],
  ['status', 'locale', 'id'],
  ['uid', 'locale'],
  ['status', 'locale', 'date', 'id'],
]

function stat(given: Partial<QueryStat>): QueryStat {
  return {
    collection: 'things',
    filtered: ['locale', 'status'],
    sorted: ['id'],
    count: 10,
    totalMs: 50,
    slowestMs: 9,
    lastSeenAt: new Date(0),
    plan: null,
    ...given,
  }
}

const advise = (...stats: readonly QueryStat[]) =>
  adviseIndexes(stats, [THING], [{ name: 'things', keys: INDEXES }])

describe('adviseIndexes', () => {
  const served: readonly [string, Partial<QueryStat>][] = [
    ['a default list', {}],
    ['a filter with an index', { filtered: ['locale', 'status', 'uid'] }],
    ['an index behind status and locale', { filtered: ['date'], sorted: ['date', 'id'] }],
    ['several filters of which one has an index', { filtered: ['string', 'uid'] }],
    ['a filter on documentId', { filtered: ['documentId', 'string'] }],
    ['a collection without content', { collection: 'else', filtered: ['string'] }],
  ]
  for (const [label, given] of served) {
    it(`gives no advice for ${label}`, () => {
      expect(advise(stat(given))).to.deep.equal([])
    })
  }

  it('sums up queries without an index and reports their worst plan', () => {
    const plan = (scanned: number) => ({ indexes: ['quire_list'], scanned, returned: 5 })
    const [first, second, ...others] = advise(
      stat({ filtered: ['status', 'string'], plan: plan(30) }),
      stat({ filtered: ['integer', 'string'], totalMs: 70, slowestMs: 40, plan: plan(60) }),
    )
    expect(first).to.deep.equal({
      contentType: 'api::thing.thing',
      attribute: 'string',
      use: 'filtered',
      count: 20,
      totalMs: 120,
      slowestMs: 40,
      scanned: 60,
      returned: 5,
      isUrgent: false,
      remedy: 'api::thing.thing: "index": true on the attribute string',
    })
    expect(second).to.include({ attribute: 'integer', count: 10 })
    expect(others).to.deep.equal([])
  })

  it('advises an index for an order that existing indexes do not cover from the start', () => {
    const orders: readonly (readonly [readonly string[], string])[] = [
      [['string', 'id'], '"index": true on the attribute string'],
      [['string:desc', 'id:desc'], '"index": true on the attribute string'],
      [['uid', 'id'], '"index": true on the attribute uid'],
      [['date', 'string:desc', 'id:desc'], '"indexes": [["date","string:desc"]] in its options'],
      [['createdAt:desc', 'id:desc'], '"indexes": [["createdAt:desc"]] in its options'],
    ]
    for (const [sorted, remedy] of orders) {
      const [only, ...others] = advise(stat({ sorted }))
      expect(only).to.include({ attribute: sorted[0], use: 'sorted' })
      expect(only?.remedy).to.equal(`api::thing.thing: ${remedy}`)
      expect(others).to.deep.equal([])
    }
  })

  it('accepts an index for the same or the exactly reversed order only', () => {
    for (const key of [
      ['status', 'locale', 'date', 'id'],
      ['status', 'locale', 'date:desc', 'id:desc'],
    ]) {
      const sorted = (...order: readonly string[]) =>
        adviseIndexes([stat({ sorted: order })], [THING], [{ name: 'things', keys: [key] }])
      expect(sorted('date', 'id')).to.deep.equal([])
      expect(sorted('date:desc', 'id:desc')).to.deep.equal([])
      expect(sorted('date:desc', 'id')).to.have.length(1)
    }
    const descending = [{ name: 'things', keys: [['status', 'locale', 'date:desc', 'id:desc']] }]
    expect(adviseIndexes([stat({ filtered: ['date'] })], [THING], descending)).to.deep.equal([])
  })

  it('advises the indexes option for nested attributes', () => {
    const [only] = advise(stat({ filtered: ['seo.title'] }))
    expect(only?.remedy).to.equal('api::thing.thing: "indexes": [["seo.title"]] in its options')
  })

  it('marks advice as urgent if a query took 100 ms or scanned far more than it returned', () => {
    const filtered = ['string']
    const urgent = (given: Partial<QueryStat>): unknown =>
      advise(stat({ filtered, ...given }))[0]?.isUrgent
    const plan = (scanned: number, returned: number) => ({ indexes: [], scanned, returned })
    expect(urgent({ slowestMs: 100 })).to.equal(true)
    expect(urgent({ slowestMs: 99.9 })).to.equal(false)
    expect(urgent({ plan: plan(1_000, 99) })).to.equal(true)
    expect(urgent({ plan: plan(1_000, 100) })).to.equal(false)
    expect(urgent({ plan: plan(999, 0) })).to.equal(false)
  })
})
