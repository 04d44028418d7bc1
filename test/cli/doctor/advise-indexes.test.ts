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
  ['status', 'locale', 'date'],
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

describe('cli/doctor/advise-indexes', () => {
  const served: readonly [string, Partial<QueryStat>][] = [
    ['a default list', {}],
    ['a condition with an index', { filtered: ['locale', 'status', 'uid'] }],
    ['an index behind status and locale', { filtered: ['date'], sorted: ['date', 'id'] }],
    ['one condition with an index for all', { filtered: ['string', 'uid'] }],
    ['a document that is named', { filtered: ['documentId', 'string'] }],
    ['a collection that holds no content', { collection: 'else', filtered: ['string'] }],
  ]
  for (const [what, given] of served) {
    it(`has nothing to say of ${what}`, () => {
      expect(advise(stat(given))).to.deep.equal([])
    })
  }

  it('adds up what queries did without an index, with the worst of their plans', () => {
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

  it('judges an order by its first attribute', () => {
    const [only, ...others] = advise(stat({ sorted: ['string', 'uid', 'id'] }))
    expect(only).to.include({ attribute: 'string', use: 'sorted' })
    expect(others).to.deep.equal([])
    expect(advise(stat({ sorted: ['uid', 'string'] }))).to.deep.equal([])
  })

  it('tells the direction of an order from that of an index', () => {
    const indexes = [{ name: 'things', keys: [['status', 'locale', 'date', 'id']] }]
    const [only] = adviseIndexes([stat({ sorted: ['date:desc', 'id'] })], [THING], indexes)
    expect(only).to.include({
      attribute: 'date:desc',
      remedy: 'api::thing.thing: "indexes": [["date:desc"]] in its options',
    })
    const descending = [{ name: 'things', keys: [['status', 'locale', 'date:desc', 'id']] }]
    expect(adviseIndexes([stat({ sorted: ['date:desc', 'id'] })], [THING], descending)).to.be.empty
    expect(adviseIndexes([stat({ filtered: ['date'] })], [THING], descending)).to.be.empty
  })

  it('names what is no attribute of its own in the options', () => {
    const [only] = advise(stat({ filtered: ['seo.title'] }))
    expect(only?.remedy).to.equal('api::thing.thing: "indexes": [["seo.title"]] in its options')
  })

  it('is urgent where a query was slow, or read far more than it gave', () => {
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
