import { isDeepEqual } from '@quire/merge/is-deep-equal'
import { expect } from 'chai'
import * as fc from 'fast-check'

/** Few names and values, so that equal pairs are frequent. */
const { value: VALUE } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(0, 1, 'a', true, null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('0', 'a', 'length'), tie('value'), { maxKeys: 2 }),
  ),
}))

describe('the comparison of values', () => {
  it('equates values with the same JSON, in any order of members', () => {
    let equal = 0
    fc.assert(
      fc.property(VALUE, VALUE, (one, other) => {
        const isEqual = jsonOf(one) === jsonOf(other)
        expect(isDeepEqual(one, other)).to.equal(isEqual)
        expect(isDeepEqual(one, JSON.parse(jsonOf(one)))).to.equal(true)
        if (isEqual && typeof one === 'object' && one !== null) equal += 1
      }),
      { numRuns: 2_000 },
    )
    expect(equal).to.be.above(20)
  })

  for (const [one, other] of [
    [{ 0: 'a' }, ['a']],
    [[], {}],
    [[null], []],
    [null, {}],
    [{}, null],
    ['', []],
    [0, {}],
    [{ a: 1 }, 'a'],
  ]) {
    it(`distinguishes ${JSON.stringify(one)} from ${JSON.stringify(other)}`, () => {
      expect(isDeepEqual(one, other)).to.equal(false)
    })
  }

  it('compares own members only', () => {
    expect(isDeepEqual({ constructor: Object }, {})).to.equal(false)
  })

  it('equates an undefined member with a missing one', () => {
    expect(isDeepEqual({ a: 1, b: undefined }, { a: 1 })).to.equal(true)
    expect(isDeepEqual({ a: 1 }, { a: 1, b: undefined })).to.equal(true)
    expect(isDeepEqual({ a: undefined }, { a: null })).to.equal(false)
  })
})

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_name, held: unknown) =>
    typeof held === 'object' && held !== null && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  )
}
