import { expect } from 'chai'
import * as fc from 'fast-check'
import { findNearMisses } from '../../../src/base/config/near-misses.ts'
import { VARIABLES } from '../../../src/base/config/variables.ts'

const LETTER = fc.constantFrom('A', 'B', 'X', 'Y', 'Z', '_')
const LONG_NAMES = Object.keys(VARIABLES).filter((name) => name.length >= 8)

const SLIPS: readonly ((rest: string, letter: string) => string)[] = [
  (rest, letter) => letter + rest,
  (rest) => rest.slice(1),
  (rest, letter) => letter + rest.slice(1),
  (rest) => rest.charAt(1) + rest.charAt(0) + rest.slice(2),
]

/** A name with one inserted, removed, replaced or swapped letter. */
const slipped = fc
  .record({
    name: fc.constantFrom(...LONG_NAMES),
    at: fc.nat(),
    letter: LETTER,
    slip: fc.constantFrom(...SLIPS),
  })
  .map(({ name, at, letter, slip }) => {
    const index = at % name.length
    return name.slice(0, index) + slip(name.slice(index), letter)
  })
  .filter((name) => !(name in VARIABLES))

describe('findNearMisses', () => {
  it('suggests a variable for each name with one slip', () => {
    fc.assert(
      fc.property(slipped, (name) => {
        const [suggestion = '', ...others] = findNearMisses({ [name]: 'x' })
        expect(suggestion).to.contain(`${name} is not a variable of Quire`)
        expect(others).to.deep.equal([])
      }),
    )
  })

  it('suggests a variable for other underscores and cases, and for names of other products', () => {
    expect(findNearMisses({ mongodburi: 'x' })).to.deep.equal([
      'mongodburi is not a variable of Quire; did you mean MONGODB_URI?',
    ])
    expect(findNearMisses({ MONGO_URL: 'x' })).to.deep.equal([
      'MONGO_URL is not a variable of Quire; did you mean MONGODB_URI?',
    ])
  })

  it('ignores unrelated names, and variables that are set', () => {
    expect(findNearMisses({ HOME: '/', PATH: '/bin', TERM_PROGRAM: 'x' })).to.deep.equal([])
    expect(findNearMisses({ MONGODB_URI: 'x', MONGODB_URL: 'x' })).to.deep.equal([])
  })
})
