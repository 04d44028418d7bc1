import { shareByKey } from '../../base/share-by-key.ts'
import type { Database } from '../connection/database.ts'
import { ensureRow, increment } from './system-collections.ts'

export interface IdAllocator {
  /** Ascending and unique across processes. @throws ServiceUnavailableError, GatewayTimeoutError */
  take(sequence: string, count: number): Promise<readonly number[]>
  /** Other processes may still use blocks that they have already reserved. */
  raise(sequence: string, id: number): Promise<void>
  /** Returns the last taken id if it is unused. Has no effect if a later id was taken. */
  giveBack(sequence: string, id: number): void
}

interface Counter {
  readonly _id: string
  readonly last: number
}

interface Block {
  next: number
  end: number
}

const COLLECTION = 'quire_counters'
const BLOCK_SIZE = 100

/** Blocks of 100 ids, so that the counter does not become a hot spot. They leave gaps. */
export function openIdAllocator(database: Database): IdAllocator {
  const counters = openCounters(database)
  const blocks = new Map<string, Block>()
  const shareReserve = shareByKey<string, void>()

  const reserve = async (sequence: string, count: number): Promise<void> => {
    const size = Math.max(BLOCK_SIZE, count)
    const last = await counters.advance(sequence, size)
    blocks.set(sequence, { next: last - size + 1, end: last })
  }

  return {
    take: async (sequence, count) => {
      const taken: number[] = []
      while (taken.length < count) {
        const block = blocks.get(sequence)
        if (block === undefined || block.next > block.end) {
          await shareReserve(sequence, () => reserve(sequence, count - taken.length))
        } else {
          taken.push(block.next)
          block.next += 1
        }
      }
      return taken
    },
    raise: async (sequence, id) => {
      blocks.delete(sequence)
      await counters.raise(sequence, id)
    },
    giveBack: (sequence, id) => {
      const block = blocks.get(sequence)
      if (block?.next === id + 1) block.next = id
    },
  }
}

function openCounters(database: Database) {
  const counters = database.table<Counter>(COLLECTION)
  const first = (sequence: string): Counter => ({ _id: sequence, last: 0 })
  return {
    advance: (sequence: string, by: number): Promise<number> =>
      increment(counters, first(sequence), { field: 'last', by }),
    raise: async (sequence: string, id: number): Promise<void> => {
      await ensureRow(counters, first(sequence))
      await counters.updateOne({ _id: sequence }, { $max: { last: id } })
    },
  }
}
