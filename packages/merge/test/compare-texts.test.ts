import { compareTexts, type TextRun } from '@quire/merge/compare-texts'
import { expect } from 'chai'
import * as fc from 'fast-check'

const TEXT = fc
  .array(fc.constantFrom('one', 'two', 'drei', ' ', ' ', ', ', '\n', 'é', '😀'), { maxLength: 30 })
  .map((parts) => parts.join(''))

/** The number of words that both texts have in the same order, by its definition. */
function countShared([first, ...rest]: readonly string[], other: readonly string[]): number {
  if (first === undefined) return 0
  const at = other.indexOf(first)
  const without = countShared(rest, other)
  return at === -1 ? without : Math.max(without, 1 + countShared(rest, other.slice(at + 1)))
}

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

  it('takes the space between two words as one unit', () => {
    expect(compareTexts('a  b', 'a b')).to.deep.equal([
      { op: 'same', text: 'a' },
      { op: 'removed', text: '  ' },
      { op: 'added', text: ' ' },
      { op: 'same', text: 'b' },
    ])
  })

  it('marks as few words as possible', () => {
    const marks = fc.array(fc.constantFrom('.', '!', '?', ','), { maxLength: 9 })
    let moved = 0
    fc.assert(
      fc.property(marks, marks, (from, to) => {
        const runs = compareTexts(from.join(''), to.join(''))
        const same = runs.filter(({ op }) => op === 'same').map(({ text }) => text)
        expect(same.join('')).to.have.length(countShared(from, to))
        if (same.length > 1 && runs.length > 4) moved += 1
      }),
      { numRuns: 500 },
    )
    expect(moved).to.be.above(50)
  })

  it('keeps the last of several words that are equally good to keep', () => {
    expect(compareTexts('a.b', 'b.a')).to.deep.equal([
      { op: 'removed', text: 'a.' },
      { op: 'same', text: 'b' },
      { op: 'added', text: '.a' },
    ])
  })

  it('compares up to a million pairs of words', () => {
    const around = (mark: string, count: number) => `${mark.repeat(500)}x${mark.repeat(count)}`
    const opsOf = (from: string, to: string) => compareTexts(from, to).map(({ op }) => op)
    expect(opsOf(around('!', 499), around('?', 499))).to.deep.equal([
      'removed',
      'added',
      'same',
      'removed',
      'added',
    ])
    expect(opsOf(around('!', 500), around('?', 499))).to.deep.equal(['removed', 'added'])
  })

  it('takes long texts without common words as one change', () => {
    const long = (word: string) =>
      Array.from({ length: 2_000 }, (_, at) => `${word}${at}`).join(' ')
    const runs = compareTexts(long('a'), long('b'))
    expect(runs.map(({ op }) => op)).to.deep.equal(['removed', 'added'])
  })
})
