import { expect } from 'chai'
import * as fc from 'fast-check'
import { computePercentile, computeSpread } from '../../src/bench/statistics.ts'

const sample = fc.array(fc.double({ noNaN: true, min: 0, max: 1e6 }), { minLength: 1 })

describe('computePercentile', () => {
  it('returns a value of the sample with at least that share at or below it', () => {
    fc.assert(
      fc.property(sample, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
        const found = computePercentile(values, share)
        expect(values).to.include(found)
        const below = values.filter((value) => value <= found).length
        expect(below).to.be.at.least(Math.floor(values.length * share))
      }),
    )
  })

  it('returns the median, the lowest and the highest value', () => {
    expect([0, 0.5, 0.99, 1].map((share) => computePercentile([3, 1, 2], share))).to.deep.equal([
      1, 2, 3, 3,
    ])
  })

  it('refuses an empty sample', () => {
    expect(() => computePercentile([], 0.5)).to.throw(RangeError)
    expect(() => computeSpread([])).to.throw(RangeError)
  })
})

describe('computeSpread', () => {
  it('returns the mean, the lowest and the highest value', () => {
    expect(computeSpread([4, 1, 1])).to.deep.equal({ mean: 2, min: 1, max: 4 })
  })
})
