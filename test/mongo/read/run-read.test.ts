import { expect } from 'chai'
import type { AbstractCursor } from 'mongodb'
import { readRows } from '../../../src/mongo/read/run-read.ts'

/** Longer than a piece of work may take before others have a turn. */
const LONG_MS = 15

describe('readRows', () => {
  it('reads rows that came late without waiting for a turn', async () => {
    const turns = countTurns()
    const seen: number[] = []
    await readRows(cursorOf([[1, 2], [3]], spend), (bytes) => seen.push(...bytes))
    expect(seen).to.deep.equal([1, 2, 3])
    expect(turns.count()).to.equal(0)
    turns.stop()
  })

  it('gives others a turn while it works for long', async () => {
    const turns = countTurns()
    await readRows(
      cursorOf([[1, 2, 3]], () => undefined),
      spend,
    )
    expect(turns.count()).to.be.at.least(1)
    turns.stop()
  })
})

function spend(): void {
  const endsAt = performance.now() + LONG_MS
  while (performance.now() < endsAt);
}

/** A cursor whose batches are there after `wait`. */
function cursorOf(batches: readonly (readonly number[])[], wait: () => void): AbstractCursor {
  const left = [...batches]
  const cursor = {
    hasNext: () => {
      wait()
      return Promise.resolve(left.length > 0)
    },
    readBufferedDocuments: () => (left.shift() ?? []).map((byte) => Uint8Array.of(byte)),
    close: () => Promise.resolve(),
  }
  return cursor as unknown as AbstractCursor
}

/** Rounds of the event loop from now on. */
function countTurns() {
  let count = 0
  let next = setImmediate(again)
  function again(): void {
    count += 1
    next = setImmediate(again)
  }
  return { count: () => count, stop: () => clearImmediate(next) }
}
