import { expect } from 'chai'
import type { Document } from '../../src/bson/values.ts'
import { parseFilter } from '../../src/filter/filter.ts'
import { bestUnion } from '../../src/query/union-plan.ts'
import type { IndexPlan } from '../../src/query/read-plan.ts'
import { describeIndex } from '../../src/storage/collection.ts'
import { documentOf } from '../../src/bson/values.ts'

const index = describeIndex(1, documentOf({ v: 2, key: documentOf({ a: 1 }), name: 'a_1' }))

const planOf = (score: number): IndexPlan => ({
  kind: 'index',
  index,
  intervals: [],
  reverse: false,
  isSorted: false,
  isWhole: true,
  score,
})

/** As many alternatives, of as many each. */
function alternatives(count: number): Document {
  const some = Array.from({ length: count }, (_, a) => documentOf({ a }))
  const all = Array.from({ length: count }, () => documentOf({ $or: some }))
  return documentOf({ $or: all })
}

describe('bestUnion', () => {
  it('scores a union by its worst branch', () => {
    const scores = [5, 3, 9]
    const filter = parseFilter(documentOf({ $or: scores.map((a) => documentOf({ a })) }))
    const plan = bestUnion(filter, () => planOf(scores.shift() ?? 0))
    expect(plan?.score).to.equal(2)
    expect(plan?.branches).to.have.length(3)
  })

  it('plans nested alternatives with many branches', () => {
    const filter = parseFilter(alternatives(400))
    const plan = bestUnion(filter, (branch) =>
      JSON.stringify(branch).includes('"any"') ? null : planOf(12),
    )
    expect(plan?.branches).to.have.length(160_000)
    expect(plan?.score).to.be.below(12)
  })
})
