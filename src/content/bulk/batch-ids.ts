import type { IdAllocator } from '../../mongo/system/id-allocator.ts'

export interface BatchIds extends IdAllocator {
  close(): void
}

/** Reserves ids for a whole batch, to avoid a command per block. `expected` is the estimate per sequence. */
export function batchIds(ids: IdAllocator, expected: number): BatchIds {
  const waiting = new Map<string, number[]>()
  return {
    take: async (sequence, count) => {
      const here = waiting.get(sequence) ?? []
      waiting.set(sequence, here)
      if (here.length < count) {
        const wanted = Math.max(expected, count - here.length)
        here.push(...(await ids.take(sequence, wanted)))
      }
      return here.splice(0, count)
    },
    raise: (sequence, id) => ids.raise(sequence, id),
    giveBack: () => undefined,
    close: () => {
      for (const [sequence, left] of waiting) {
        for (const id of left.toReversed()) ids.giveBack(sequence, id)
      }
    },
  }
}
