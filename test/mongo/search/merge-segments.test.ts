import { expect } from 'chai'
import * as fc from 'fast-check'
import { Binary } from 'mongodb'
import type { Segment } from '../../../src/mongo/search/index-rows.ts'
import { chooseMerge } from '../../../src/mongo/search/merge-segments.ts'

let made = 0

function segmentOf(entries: number): Segment {
  made += 1
  return { id: `s${made}`, entries, living: entries, dead: new Binary(), words: [] }
}

const sumOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { living }) => sum + living, 0)

/** A new segment and its merge, as in `settleIndex`. */
function add(segments: readonly Segment[], entries: number): readonly Segment[] {
  const all = [...segments, segmentOf(entries)]
  const chosen = chooseMerge(all)
  if (chosen.length === 0) return all
  return [...all.filter((one) => !chosen.includes(one)), segmentOf(sumOf(chosen))]
}

describe('chooseMerge', () => {
  it('keeps each segment larger than all newer ones together, for batches of any sizes', () => {
    const sizes = fc.array(fc.integer({ min: 65, max: 500 }), { minLength: 1, maxLength: 90 })
    const property = fc.property(sizes, (batches) => {
      const segments = batches.reduce(add, [] as readonly Segment[])
      expect(sumOf(segments)).to.equal(batches.reduce((sum, size) => sum + size, 0))
      for (const [at, { living }] of segments.entries()) {
        const newer = segments.slice(at + 1)
        expect(living, `segment ${at}`).to.be.greaterThan(sumOf(newer))
      }
    })
    fc.assert(property)
  })

  it('leaves few segments of batches that become smaller', () => {
    const batches = Array.from({ length: 200 }, (_, at) => 264 - at)
    const segments = batches.reduce(add, [] as readonly Segment[])
    expect(segments.length).to.be.lessThan(10)
  })

  it('merges no more than 50,000 entries', () => {
    const segments = [40_000, 9_000, 6_000, 5_000].map(segmentOf)
    expect(sumOf(chooseMerge(segments))).to.equal(20_000)
  })
})
