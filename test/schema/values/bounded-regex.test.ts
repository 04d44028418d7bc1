import { expect } from 'chai'
import * as fc from 'fast-check'
import { testInTime } from '../../../src/schema/values/bounded-regex.ts'
import { startOwnClock } from '../../support/own-clock.ts'

/** Each pattern backtracks exponentially, or with a high power, on its text. */
const DEAR: readonly (readonly [RegExp, string])[] = [
  [/^(\w+\s?)*$/, `${'a'.repeat(40)}!`],
  [/^(a+)+$/, `${'a'.repeat(40)}b`],
  [/^(?=(a|aa)+$)/, `${'a'.repeat(60)}b`],
  [/^(.*)\1(.*)(.*)(.*)(.*)x$/, 'ab'.repeat(2_000)],
  [/\s+$/, `${' '.repeat(200_000)}x`],
]

/** A comparison takes 50 µs of CPU. With this factor it exceeds the usual 200 µs. */
const SLOWER = 6

const otherWork = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('testInTime', () => {
  beforeEach(otherWork)

  it('returns whether a text matches', () => {
    expect(testInTime(/^[a-z]+$/, 'abc')).to.equal(true)
    expect(testInTime(/^[a-z]+$/, 'ab1')).to.equal(false)
    expect(testInTime(/^.{5}$/u, 'ab\u{1F600}cd')).to.equal(true)
  })

  for (const [regex, text] of DEAR) {
    it(`returns null for ${String(regex)} after its time limit`, () => {
      const elapsedMs = startOwnClock()
      expect(testInTime(regex, text)).to.equal(null)
      expect(elapsedMs()).to.be.below(1_000)
    })
  }

  it('spends little time on many expensive comparisons and recovers after other work', async () => {
    const [regex, text] = DEAR[0] ?? [/$/, '']
    const elapsedMs = startOwnClock()
    for (let n = 0; n < 5_000; n += 1) expect(testInTime(regex, text)).to.equal(null)
    expect(elapsedMs()).to.be.below(5_000)
    await otherWork()
    expect(testInTime(regex, 'two words')).to.equal(true)
  })

  it('compares many cheap texts', () => {
    for (let n = 0; n < 5_000; n += 1) expect(testInTime(/^(\w+\s?)*$/, `word ${n}`)).to.equal(true)
  })

  it('compares as many cheap texts on a much slower machine', async () => {
    const slowDown = (name: 'cpuUsage' | 'threadCpuUsage'): (() => void) => {
      const clocks: Record<string, unknown> = Object(process)
      const kept = clocks[name] as typeof process.cpuUsage | undefined
      if (kept === undefined) return () => undefined
      clocks[name] = (before?: NodeJS.CpuUsage): NodeJS.CpuUsage => {
        const { user, system } = kept.call(process)
        const from = before ?? { user: 0, system: 0 }
        return { user: user * SLOWER - from.user, system: system * SLOWER - from.system }
      }
      return () => (clocks[name] = kept)
    }
    const ends = [slowDown('cpuUsage'), slowDown('threadCpuUsage')]
    try {
      const [dear, text] = DEAR[0] ?? [/$/, '']
      for (let n = 0; n < 5_000; n += 1) {
        expect(testInTime(/^(\w+\s?)*$/, `word ${n}`)).to.equal(true)
      }
      for (let n = 0; n < 100; n += 1) expect(testInTime(dear, text)).to.equal(null)
      expect(testInTime(/^(\w+\s?)*$/, 'word')).to.equal(null)
    } finally {
      for (const end of ends) end()
      await otherWork()
    }
  })

  it('sets no time limit for cheap patterns and texts', () => {
    const before = process.cpuUsage()
    for (let n = 0; n < 20_000; n += 1) {
      expect(testInTime(/^[a-z0-9-]+$/, `a-slug-of-some-${n}`)).to.equal(true)
    }
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 20_000).to.be.below(20)
  })

  it('equals the result of the pattern itself', () => {
    const part = fc.constantFrom(
      'a',
      '[ab]',
      '.',
      '\\w',
      '(a|b)',
      '(ab)',
      '\\.',
      '[^a\\]]',
      '(?:b|ab)',
    )
    const quantifier = fc.constantFrom('', '?', '*', '+', '{1,2}', '{2}')
    const source = fc
      .array(fc.tuple(part, quantifier), { minLength: 1, maxLength: 4 })
      .map((parts) => `^${parts.flat().join('')}$`)
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', ']'), maxLength: 8 })
    fc.assert(
      fc.property(source, text, (pattern, given) => {
        expect(testInTime(new RegExp(pattern), given)).to.equal(new RegExp(pattern).test(given))
      }),
      { numRuns: 200 },
    )
  })
})
