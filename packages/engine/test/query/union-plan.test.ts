import { expect } from 'chai'
import type { Document } from '../../src/bson/values.ts'
import { parseFilter } from '../../src/filter/filter.ts'
import { findBestUnion } from '../../src/query/union-plan.ts'
import type { IndexPlan } from '../../src/query/read-plan.ts'
import { describeIndex } from '../../src/storage/collection.ts'
import { toDocument } from '../../src/bson/values.ts'

const index = describeIndex(1, toDocument({ v: 2, key: toDocument({ a: 1 }), name: 'a_1' }))

const planOf = (score: number): IndexPlan => ({
  kind: 'index',
  index,
  intervals: [],
  reverse: false,
  isSorted: false,
  open: [],
  score,
})

/** As many alternatives on each of two levels. */
function alternatives(count: number): Document {
  const some = Array.from({ length: count }, (_, a) => toDocument({ a }))
  const all = Array.from({ length: count }, () => toDocument({ $or: some }))
  return toDocument({ $or: all })
}

describe('findBestUnion', () => {
  it('scores a union by its worst branch', () => {
    const scores = [5, 3, 9]
    const filter = parseFilter(toDocument({ $or: scores.map((a) => toDocument({ a })) }))
    const plan = findBestUnion(filter, () => planOf(scores.shift() ?? 0))
    expect(plan?.score).to.equal(2)
    expect(plan?.branches).to.have.length(3)
  })

  it('plans nested alternatives with many branches', () => {
    const filter = parseFilter(alternatives(400))
    const plan = findBestUnion(filter, (branch) =>
      JSON.stringify(branch).includes('"any"') ? null : planOf(12),
    )
    expect(plan?.branches).to.have.length(160_000)
    expect(plan?.score).to.be.below(12)
  })
})
