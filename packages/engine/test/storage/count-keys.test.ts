import { rmSync } from 'node:fs'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { openData } from '../../src/storage/database.ts'
import type { Data } from '../../src/storage/database.ts'
import { encodeNumberKey, openStore } from '../../src/storage/store.ts'
import { countKeys, createNewestView } from '../../src/storage/view.ts'
import { temporaryFolder } from '../contract/targets.ts'

const ENTRIES = 40_000
/** An unused index number. The test adds its entries directly. */
const INDEX = 77

describe('countKeys', () => {
  const directory = temporaryFolder()
  let data: Data

  before(() => {
    data = openData(openStore({ directory, durable: false }))
    data.store.write(() => {
      for (let number = 0; number < ENTRIES; number += 1)
        data.store.put(data.store.entries, encodeNumberKey(INDEX, number), encodeNumberKey(number))
    })
  })
  after(async () => {
    await data.store.close()
    rmSync(directory, { recursive: true })
  })

  const between = (low: number, high: number) => ({
    low: encodeNumberKey(INDEX, low),
    high: encodeNumberKey(INDEX, high),
  })
  const count = (intervals: readonly ReturnType<typeof between>[], most: number): number =>
    countKeys(data, createNewestView(), intervals, most)

  it('counts the entries of the intervals up to the maximum', () => {
    const bound = fc.oneof(
      fc.integer({ min: 0, max: ENTRIES }),
      fc.constantFrom(0, 1, 63, 64, 65, 192, 193, 4_096, ENTRIES),
    )
    const most = fc.oneof(bound, fc.constantFrom(Infinity, 1, 25, 64, 100_001))
    const interval = fc
      .tuple(bound, bound)
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    const property = fc.property(fc.array(interval, { maxLength: 3 }), most, (found, limit) => {
      const all = found.reduce((sum, [low, high]) => sum + high - low, 0)
      const intervals = found.map(([low, high]) => between(low, high))
      expect(count(intervals, limit)).to.equal(Math.min(all, limit))
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('stops at the end of an interval, even with a high maximum', () => {
    const few = [between(100, 140)]
    const leastOf = (most: number): number => {
      const times = Array.from({ length: 50 }, () => {
        const started = performance.now()
        expect(count(few, most)).to.equal(40)
        return performance.now() - started
      })
      return Math.min(...times)
    }
    const [unlimited, limited] = [leastOf(Infinity), leastOf(100_001)]
    expect(limited, 'milliseconds').to.be.below(4 * unlimited + 0.1)
  })
})
