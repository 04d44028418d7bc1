import { expect } from 'chai'
import { chooseProbes } from '../../../src/mongo/search/read-spellings.ts'
import {
  isFirstPiece,
  spellingKeys,
  spellingProbes,
} from '../../../src/query/text/spelling-keys.ts'

const PROBES = spellingProbes('swizterland')
const [first = '', second = '', third = ''] = spellingKeys('switzerland')

const spellings = (count: number, firstKeys: readonly string[]) =>
  Array.from({ length: count }, (_, at) => ({ segment: `s${at}`, firstKeys }))

describe('the blocks of spelling keys that are read for a word', () => {
  it('are those that may have a key with one of its probes', () => {
    const { probes, ids } = chooseProbes(spellings(1, ['', first, second, third, 'z']), PROBES)
    expect(probes).to.equal(PROBES)
    expect(ids).to.include('s0:w1').and.to.include('s0:w3').and.not.to.include('s0:w4')
  })

  it('have the first piece of words only, if there are more than 1,024', () => {
    const blocks = ['', ...new Set([...PROBES].filter((probe) => !isFirstPiece(probe)))].toSorted()
    const small = chooseProbes(spellings(15, blocks), PROBES)
    expect(small.probes).to.equal(PROBES)
    const large = chooseProbes(spellings(100, blocks), PROBES)
    expect([...large.probes].every(isFirstPiece)).to.equal(true)
    expect([large.probes.size > 0, large.ids.size <= 1_024]).to.deep.equal([true, true])
  })

  it('are none, if there are too many with the first piece of words', () => {
    const { probes, ids } = chooseProbes(spellings(1_025, ['']), PROBES)
    expect([probes.size, ids.size]).to.deep.equal([0, 0])
  })
})
