import { expect } from 'chai'
import * as fc from 'fast-check'
import { isDeepEqual } from '../../src/entry/deep-equal.ts'
import { keepEqualParts } from '../../src/entry/keep-equal-parts.ts'

const VALUE = fc.jsonValue({ maxDepth: 4 })

describe('keepEqualParts', () => {
  it('returns an equal value, with the references of equal parts', () => {
    let kept = 0
    fc.assert(
      fc.property(VALUE, VALUE, VALUE, (one, other, another) => {
        const before = { one, other, list: [one, other] }
        const next = structuredClone({ one, other: another, list: [one, another] })
        const result = keepEqualParts(before, next)
        expect(result).to.deep.equal(next)
        expect(result.one).to.equal(before.one)
        expect(result.list[0]).to.equal(before.one)
        expect(result === before).to.equal(isDeepEqual(before, next))
        if (typeof one === 'object' && one !== null) kept += 1
      }),
    )
    expect(kept).to.be.greaterThan(10)
  })

  it('returns the old value if nothing differs', () => {
    fc.assert(
      fc.property(VALUE, (value) => {
        expect(keepEqualParts(value, structuredClone(value))).to.equal(value)
      }),
    )
  })

  it('finds moved components by their key', () => {
    const before = [
      { $key: 'a', story: [{ text: 'One' }] },
      { $key: 'b', story: [{ text: 'Two' }] },
    ]
    const next = structuredClone([{ $key: 'c', story: [] }, before[1], before[0]])
    const [, second, third] = keepEqualParts(before, next)
    expect(second).to.equal(before[1])
    expect(third).to.equal(before[0])
  })

  it('distinguishes a missing member from an undefined one', () => {
    expect(keepEqualParts({ a: undefined }, { b: undefined })).to.have.all.keys('b')
  })
})
