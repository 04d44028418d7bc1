import { expect } from 'chai'
import { beginningWith, isOrderedByTitle } from '../../src/fields/relation/link-order.ts'

describe('the order in which entries are offered', () => {
  for (const [what, count, isIndexed, isOrdered] of [
    ['a short type', 5_000, false, true],
    ['a long type', 5_001, false, false],
    ['a long type whose titles have an index', 135_000, true, true],
    ['a type of unknown length', undefined, false, false],
  ] as const) {
    it(`is ${isOrdered ? 'by title' : 'the newest first'} for ${what}`, () => {
      expect(isOrderedByTitle(count, isIndexed)).to.equal(isOrdered)
    })
  }
})

describe('the beginning of a title', () => {
  it('is looked for as typed and with a capital, once where both are the same', () => {
    expect(beginningWith('name', 'ber')).to.deep.equal({
      $or: [{ name: { $startsWith: 'ber' } }, { name: { $startsWith: 'Ber' } }],
    })
    expect(beginningWith('name', 'Ber')).to.deep.equal({
      $or: [{ name: { $startsWith: 'Ber' } }],
    })
  })
})
