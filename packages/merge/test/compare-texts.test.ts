import { compareTexts, type TextRun } from '@quire/merge/compare-texts'
import { expect } from 'chai'
import * as fc from 'fast-check'

const TEXT = fc
  .array(fc.constantFrom('one', 'two', 'drei', ' ', ' ', ', ', '\n', 'é', '😀'), { maxLength: 30 })
  .map((parts) => parts.join(''))

function sideOf(runs: readonly TextRun[], hidden: TextRun['op']): string {
  return runs
    .filter(({ op }) => op !== hidden)
    .map(({ text }) => text)
    .join('')
}

describe('the comparison of texts', () => {
  it('marks whole words', () => {
    expect(compareTexts('The old house stands.', 'The new house stands here.')).to.deep.equal([
      { op: 'same', text: 'The ' },
      { op: 'removed', text: 'old' },
      { op: 'added', text: 'new' },
      { op: 'same', text: ' house stands' },
      { op: 'added', text: ' here' },
      { op: 'same', text: '.' },
    ])
  })

  it('has no marks for equal texts, and one for an empty one', () => {
    expect(compareTexts('same', 'same')).to.deep.equal([{ op: 'same', text: 'same' }])
    expect(compareTexts('', '')).to.deep.equal([])
    expect(compareTexts('', 'new text')).to.deep.equal([{ op: 'added', text: 'new text' }])
  })

  it('contains both texts', () => {
    let changed = 0
    fc.assert(
      fc.property(TEXT, TEXT, (from, to) => {
        const runs = compareTexts(from, to)
        expect(sideOf(runs, 'added')).to.equal(from)
        expect(sideOf(runs, 'removed')).to.equal(to)
        expect(runs.every(({ text }) => text !== '')).to.equal(true)
        if (runs.some(({ op }) => op === 'same') && runs.length > 2) changed += 1
      }),
    )
    expect(changed).to.be.above(20)
  })

  it('takes long texts without common words as one change', () => {
    const long = (word: string) =>
      Array.from({ length: 2_000 }, (_, at) => `${word}${at}`).join(' ')
    const runs = compareTexts(long('a'), long('b'))
    expect(runs.map(({ op }) => op)).to.deep.equal(['removed', 'added'])
  })
})
