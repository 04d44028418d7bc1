import type { IdAllocator } from '../../mongo/system/id-allocator.ts'

/** Ids for one batch, and what is left of them. */
export interface BatchIds extends IdAllocator {
  /** Returns what was not needed. */
  close(): void
}

/**
 * Takes ids of each sequence for a whole batch at once: one by one they would come in blocks, a command for each.
 * `expected` is how many of a sequence a batch may well need.
 */
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
