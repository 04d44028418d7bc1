import { mergeText } from '@quire/merge/merge-text'
import { expect } from 'chai'
import * as fc from 'fast-check'

/** Texts of distinct words, so that a test can follow each of them. */
const BASE = fc.integer({ min: 0, max: 12 }).map((count) => wordsNamed('b', count))
const STEPS = fc.array(
  fc.tuple(fc.nat({ max: 12 }), fc.constantFrom('insert', 'remove', 'replace')),
  {
    maxLength: 4,
  },
)

describe('the merge of texts', () => {
  it('joins edits of different words', () => {
    expect(mergeText('one two three four', 'one 2 three four', 'one two three 4')).to.equal(
      'one 2 three 4',
    )
    expect(
      mergeText('a line\nb line\n', 'a line\nb line\nc line\n', 'first\na line\nb line\n'),
    ).to.equal('first\na line\nb line\nc line\n')
  })

  it('reports edits of the same word', () => {
    expect(mergeText('one two', 'one 2', 'one zwei')).to.equal(null)
    expect(mergeText('one two', 'one', 'one two!')).to.equal(null)
    expect(mergeText('', 'mine', 'theirs')).to.equal(null)
  })

  it('joins edits of long texts', () => {
    const long = 'word '.repeat(250_000)
    expect(mergeText(`a ${long}z`, `b ${long}z`, `a ${long}y`)).to.equal(`b ${long}y`)
  })

  it('takes an equal edit of both sides once', () => {
    expect(mergeText('a b c d e', 'a x c d e', 'a x c d y')).to.equal('a x c d y')
  })

  it('keeps every new word, removes only removed ones, and keeps the order of others', () => {
    fc.assert(
      fc.property(BASE, STEPS, STEPS, (base, ours, others) => {
        const mine = edited(base, ours, 'm')
        const theirs = edited(base, others, 't')
        const text = mergeText(base.join(' '), mine.join(' '), theirs.join(' '))
        if (text === null) return
        const merged = text.split(/\s+/).filter((word) => word !== '')
        const isKept = (word: string): boolean => mine.includes(word) && theirs.includes(word)
        const added = [...mine, ...theirs].filter((word) => !base.includes(word))
        expect([...merged].sort()).to.deep.equal([...base.filter(isKept), ...added].sort())
        expect(merged.filter((word) => base.includes(word))).to.deep.equal(base.filter(isKept))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is commutative and takes a change of one side as it is', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', ' ', '.', '\n', 'ä', '漢'), { maxLength: 12 })
      .map((all) => all.join(''))
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        expect(mergeText(base, mine, theirs)).to.equal(mergeText(base, theirs, mine))
        expect(mergeText(base, base, theirs)).to.equal(theirs)
        expect(mergeText(base, mine, base)).to.equal(mine)
        expect(mergeText(base, mine, mine)).to.equal(mine)
      }),
      { numRuns: 2_000 },
    )
  })

  it('joins small edits in the middle of long texts', () => {
    const words = wordsNamed('b', 3_000)
    const replaced = (at: number, word: string): string => words.with(at, word).join(' ')
    expect(mergeText(words.join(' '), replaced(1_400, 'mine'), replaced(1_500, 'theirs'))).to.equal(
      words.with(1_400, 'mine').with(1_500, 'theirs').join(' '),
    )
  })

  it('handles long texts as one change', () => {
    const long = (word: string): string =>
      Array.from({ length: 3_000 }, (_, at) => `${word}${at}`).join(' ')
    expect(mergeText(long('a'), long('b'), long('c'))).to.equal(null)
    expect(mergeText(`${long('a')} end`, `${long('b')} end`, `${long('a')} end more`)).to.equal(
      `${long('b')} end more`,
    )
  })
})

function wordsNamed(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${letter}${at}`)
}

function edited(
  base: readonly string[],
  steps: readonly (readonly [number, string])[],
  letter: string,
): readonly string[] {
  let words = [...base]
  steps.forEach(([at, step], index) => {
    const place = Math.min(at, words.length)
    const fresh = step === 'remove' ? [] : [`${letter}${index}`]
    words = [
      ...words.slice(0, place),
      ...fresh,
      ...words.slice(step === 'insert' ? place : place + 1),
    ]
  })
  return words
}
