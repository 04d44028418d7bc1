import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  mapOffset,
  type TextDifference,
  textDifferences,
} from '../../src/fields/text-difference.ts'

const TEXT = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 12 })

const commonStart = (one: string, other: string): number => {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

interface Mapped {
  readonly ranges: readonly TextDifference[]
  readonly old: string
  readonly text: string
  readonly offset: number
}

/** The characters next to the offset are the same in both texts, unless they are in a range. */
function expectSameAround({ ranges, old, text, offset }: Mapped): void {
  const mapped = mapOffset(offset, ranges)
  const isBefore = ranges.some(({ from }) => from === offset)
  const isAfter = ranges.some(({ to }) => to === offset)
  if (!isBefore) expect(text[mapped]).to.equal(old[offset])
  if (!isAfter) expect(text[mapped - 1]).to.equal(old[offset - 1])
}

describe('the difference of two texts', () => {
  it('leads to the new text, and keeps offsets in the common parts', () => {
    let between = 0
    let several = 0
    fc.assert(
      fc.property(TEXT, TEXT, fc.nat(), (old, text, share) => {
        const ranges = textDifferences(old, text)
        const changed = ranges.toReversed().reduce((now, { from, to, insert }) => {
          return now.slice(0, from) + insert + now.slice(to)
        }, old)
        expect(changed).to.equal(text)
        if (ranges.length > 1) several += 1
        for (const [index, { from, to, insert }] of ranges.entries()) {
          expect(to - from + insert.length).to.be.above(0)
          expect(from).to.be.at.least(ranges[index - 1]?.to ?? 0)
        }
        const offset = share % (old.length + 1)
        const mapped = mapOffset(offset, ranges)
        expect(mapped).to.be.within(0, text.length)
        if (ranges.some(({ from, to }) => from < offset && offset < to)) between += 1
        else expectSameAround({ ranges, old, text, offset })
        if (offset <= commonStart(old, text)) expect(mapped).to.equal(offset)
      }),
      { numRuns: 500 },
    )
    expect(between).to.be.greaterThan(20)
    expect(several).to.be.greaterThan(20)
  })

  it('keeps an offset between two changes at its text', () => {
    const ranges = textDifferences('one two three', 'number one two thirteen')
    expect(ranges).to.have.length(2)
    expect(mapOffset(5, ranges)).to.equal(12)
  })

  it('keeps an offset at an insertion before it', () => {
    const ranges = textDifferences('One', 'One more')
    expect(ranges).to.deep.equal([{ from: 3, to: 3, insert: ' more' }])
    expect(mapOffset(3, ranges)).to.equal(3)
  })
})
