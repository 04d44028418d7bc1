import { expect } from 'chai'
import * as fc from 'fast-check'
import { mapOffset, textDifference } from '../../src/fields/text-difference.ts'

const TEXT = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })

describe('the difference of two texts', () => {
  it('leads to the new text, and keeps offsets in the common parts', () => {
    let between = 0
    fc.assert(
      fc.property(TEXT, TEXT, fc.nat(), (old, text, share) => {
        const difference = textDifference(old, text)
        if (difference === null) {
          expect(old).to.equal(text)
          return
        }
        const { from, to, insert } = difference
        expect(old.slice(0, from) + insert + old.slice(to)).to.equal(text)
        const offset = share % (old.length + 1)
        const mapped = mapOffset(offset, difference)
        if (offset <= from) expect(mapped).to.equal(offset)
        else if (offset >= to) expect(text.length - mapped).to.equal(old.length - offset)
        else {
          between += 1
          expect(mapped).to.be.within(from, from + insert.length)
        }
      }),
      { numRuns: 500 },
    )
    expect(between).to.be.greaterThan(20)
  })

  it('keeps an offset at an insertion before it', () => {
    const difference = textDifference('One', 'One more')
    expect(difference).to.deep.equal({ from: 3, to: 3, insert: ' more' })
    if (difference !== null) expect(mapOffset(3, difference)).to.equal(3)
  })
})
