import { expect } from 'chai'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { isExplained, openExplainer, readPlan } from '../../../src/mongo/observe/explain-command.ts'

const scan = { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: 'quire_list' } }

describe('readPlan', () => {
  it('reads the plan of a find', () => {
    const plan = readPlan({
      queryPlanner: {
        winningPlan: { stage: 'SORT', inputStage: scan },
        rejectedPlans: [{ stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: 'other' } }],
      },
      executionStats: {
        nReturned: 3,
        totalDocsExamined: 90n,
        executionStages: { nReturned: 7, inputStage: { indexName: 'other' } },
      },
    })
    expect(plan).to.deep.equal({ indexes: ['quire_list'], scanned: 90, returned: 3 })
  })

  it('reads the plan of a sharded pipeline', () => {
    const cursor = {
      queryPlanner: { winningPlan: { queryPlan: scan } },
      executionStats: { nReturned: 1, totalDocsExamined: 2 },
    }
    const plan = readPlan({ shards: { s1: { stages: [{ $cursor: cursor }] } } })
    expect(plan).to.deep.equal({ indexes: ['quire_list'], scanned: 2, returned: 1 })
  })

  it('returns the indexes that DocumentDB used, without those it only considered', () => {
    const plan = readPlan({
      queryPlanner: {
        winningPlan: {
          'Node Type': 'Custom Scan',
          IndexDetails: [{ indexName: 'quire_list' }],
          IndexCosts: [{ indexName: '_id_' }],
        },
      },
    })
    expect(plan).to.deep.equal({ indexes: ['quire_list'], scanned: null, returned: null })
  })

  it('recognizes a collection scan and returns null without a plan', () => {
    const plan = readPlan({ queryPlanner: { winningPlan: { stage: 'COLLSCAN' } } })
    expect(plan?.indexes).to.deep.equal([])
    expect(readPlan({ ok: 1 })).to.equal(null)
  })
})

describe('openExplainer', () => {
  const find = { name: 'find', command: { find: 'rows', filter: {} } }
  const database = (command: () => Promise<object>): Database =>
    ({ command, monitor: null }) as unknown as Database
  const reply = { queryPlanner: { winningPlan: { stage: 'COLLSCAN' } } }

  it('explains six queries per minute', async () => {
    let sent = 0
    let ms = 0
    const explainer = openExplainer(
      database(() => Promise.resolve(((sent += 1), reply))),
      () => ms,
    )
    for (let i = 0; i < 10; i += 1) await explainer.explain(find)
    expect([sent, explainer.isFree()]).to.deep.equal([6, false])
    ms = 60_000
    expect(explainer.isFree()).to.equal(true)
    expect(await explainer.explain(find)).to.have.property('scanned', null)
    expect(sent).to.equal(7)
  })

  it('explains one query at a time, and goes on after an error', async () => {
    let fail: (error: Error) => void = () => undefined
    let sent = 0
    const explainer = openExplainer(
      database(() => new Promise((_, reject) => ((sent += 1), (fail = reject)))),
    )
    const first = explainer.explain(find)
    expect([explainer.isFree(), await explainer.explain(find)]).to.deep.equal([false, null])
    fail(new Error('the connection was lost'))
    expect([await first, explainer.isFree(), sent]).to.deep.equal([null, true, 1])
  })

  const aggregate = (...pipeline: readonly object[]) => ({
    name: 'aggregate',
    command: { pipeline },
  })
  const lookup = { $lookup: { from: 'b', pipeline: [], as: 'c' } }

  it('explains reads of one collection', () => {
    const reads = [find, aggregate({ $match: {} }, { $sort: { a: 1 } }), aggregate()]
    expect(reads.map(isExplained)).to.deep.equal([true, true, true])
  })

  it('explains no writes and no joins', () => {
    const others = [
      { name: 'update', command: { update: 'rows' } },
      { name: 'toString', command: {} },
      { name: 'aggregate', command: {} },
      aggregate({ $match: {} }, lookup),
      aggregate({ $facet: { a: [lookup] } }),
      aggregate({ $unionWith: 'b' }),
      aggregate({ $merge: 'b' }),
    ]
    expect(others.map(isExplained)).to.deep.equal(others.map(() => false))
  })
})
