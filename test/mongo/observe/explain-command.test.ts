import { expect } from 'chai'
import { readPlan } from '../../../src/mongo/observe/explain-command.ts'

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
