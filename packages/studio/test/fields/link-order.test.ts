import { expect } from 'chai'
import { beginningWith, isOrderedByTitle } from '../../src/fields/relation/link-order.ts'

describe('the order of offered entries', () => {
  for (const [situation, count, isIndexed, isOrdered] of [
    ['a short type', 5_000, false, true],
    ['a long type', 5_001, false, false],
    ['a long type with an index on its titles', 135_000, true, true],
    ['a type of unknown length', undefined, false, false],
  ] as const) {
    it(`is ${isOrdered ? 'by title' : 'newest first'} for ${situation}`, () => {
      expect(isOrderedByTitle(count, isIndexed)).to.equal(isOrdered)
    })
  }
})

describe('the start of a title', () => {
  it('is searched as typed and capitalized, once if both are equal', () => {
    expect(beginningWith('name', 'ber')).to.deep.equal({
      $or: [{ name: { $startsWith: 'ber' } }, { name: { $startsWith: 'Ber' } }],
    })
    expect(beginningWith('name', 'Ber')).to.deep.equal({
      $or: [{ name: { $startsWith: 'Ber' } }],
    })
  })
})
