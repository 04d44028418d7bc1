import { expect } from 'chai'
import * as fc from 'fast-check'
import { correctedEdits, isCorrection, nearDistance } from '../../../src/query/text/near-words.ts'
import {
  probeKeys,
  spellingKeys,
  spellingProbes,
  wordOfKey,
} from '../../../src/query/text/spelling-keys.ts'
import { modelRuns } from '../../support/model-runs.ts'

const word = fc
  .array(fc.constantFrom('a', 'b', 'c', 'é', '水'), { minLength: 4, maxLength: 14 })
  .map((letters) => letters.join(''))

const edit = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'replace', 'swap'),
  at: fc.nat(14),
  letter: fc.constantFrom('', 'a', 'b', 'z'),
})

function applyEdit(text: string, { kind, at, letter }: ReturnType<typeof edit.generate>['value']) {
  const [before, after] = [text.slice(0, at), text.slice(at)]
  if (kind === 'insert') return `${before}${letter}${after}`
  if (kind === 'remove') return `${before}${after.slice(1)}`
  if (kind === 'replace') return `${before}${letter}${after.slice(1)}`
  return `${before}${after.slice(1, 2)}${after.slice(0, 1)}${after.slice(2)}`
}

const isFound = (given: string, other: string): boolean =>
  spellingKeys(other).some(probeKeys(spellingProbes(given)))

describe('the spelling keys of a word', () => {
  it('are found by the probes of all words that are near', () => {
    const edits = fc.array(edit, { minLength: 1, maxLength: 2 })
    const property = fc.property(word, edits, (other, made) => {
      const given = made.reduce(applyEdit, other)
      fc.pre(correctedEdits(given) > 0 && nearDistance(given, other) !== null)
      expect(isFound(given, other), `${given} ${other}`).to.equal(true)
    })
    fc.assert(property, { numRuns: modelRuns('SEARCH_RUNS', 20_000, 400_000) })
  })

  it('are found after any one or two swaps', () => {
    for (const other of ['abcde', 'abcdefg', 'abcdefgh', 'abcdefghi', 'abcdefghijkl']) {
      const all = Array.from({ length: other.length - 1 }, (_, at) => at)
      const swaps = all.flatMap((one) => [[one], ...all.map((two) => [one, two])])
      for (const places of swaps) {
        const given = places.reduce(
          (text, at) => applyEdit(text, { kind: 'swap', at, letter: '' }),
          other,
        )
        if (nearDistance(given, other) === null) continue
        expect(isFound(given, other), `${given} ${other}`).to.equal(true)
      }
    }
  })

  it('contain the word', () => {
    const property = fc.property(word, (one) => {
      expect(new Set(spellingKeys(one).map(wordOfKey))).to.deep.equal(new Set([one]))
    })
    fc.assert(property)
  })

  it('are probed by few ranges', () => {
    expect(spellingProbes('abcdefgh').size).to.equal(15)
    expect(spellingProbes('abcdefghijkl').size).to.be.at.most(70)
    expect(spellingProbes('a'.repeat(64)).size).to.be.at.most(70)
    for (const none of ['abcd', 'abc1efgh', 'a'.repeat(65), 'abcdef𐌰']) {
      expect(spellingProbes(none).size).to.equal(0)
    }
  })

  it('exist for all possible corrections', () => {
    const all = ['abc', 'abcd', 'a'.repeat(66), 'a'.repeat(67), 'abc1', 'abcde𐌰']
    expect(all.map(isCorrection)).to.deep.equal([false, true, true, false, false, false])
  })
})
