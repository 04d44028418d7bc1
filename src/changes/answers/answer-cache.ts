import { LRUCache } from 'lru-cache'
import type { ChangeClock } from '../../mongo/commits/change-clock.ts'
import type { Coding, CachedAnswer } from './cached-answer.ts'

export interface AnswerCache {
  find(key: string): Promise<FoundAnswer | null>
  /** Returns false if the response is not cached. `since` is a time of the change clock. */
  put(key: string, answer: CachedAnswer, madeOf: ReadonlySet<string>, since: number): boolean
  now(): number
  counts(): CacheCounts
}

export interface FoundAnswer {
  readonly answer: CachedAnswer
  readonly packed: (coding: Coding) => Promise<Buffer>
}

export interface CacheCounts {
  readonly hits: number
  readonly misses: number
  readonly evictions: number
  readonly entries: number
  readonly bytes: number
}

export interface AnswerCacheOptions {
  readonly maxBytes: number
  readonly staleMs: number
  readonly clock: Pick<ChangeClock, 'now' | 'hasChanged' | 'settle'>
  readonly pack: (body: Buffer, coding: Coding) => Promise<Buffer>
}

interface Slot {
  readonly answer: CachedAnswer
  readonly madeOf: ReadonlySet<string>
  readonly since: number
  readonly keptAt: number
  readonly packed: Map<Coding, Buffer>
}

/** Covers changes missing from the log: manual edits, and writes that a primary lost. */
const MAX_WAIT_MS = 60_000

const SLOT_BYTES = 512

const SHARE = 8

export function openAnswerCache(options: AnswerCacheOptions): AnswerCache {
  const { maxBytes, staleMs, clock } = options
  let hits = 0
  let misses = 0
  let evictions = 0
  const slots = new LRUCache<string, Slot>({
    maxSize: maxBytes,
    maxEntrySize: Math.ceil(maxBytes / SHARE),
    sizeCalculation: sizeOf,
    dispose: (_slot, _key, reason) => {
      if (reason === 'evict') evictions += 1
    },
  })
  const packed = async (key: string, slot: Slot, coding: Coding): Promise<Buffer> => {
    const known = slot.packed.get(coding)
    if (known !== undefined) return known
    const made = await options.pack(slot.answer.body, coding)
    slot.packed.set(coding, made)
    if (slots.peek(key)?.packed === slot.packed) slots.set(key, { ...slot }) // updates the size of the entry
    return made
  }
  const holds = ({ madeOf, since, keptAt }: Slot): boolean =>
    performance.now() - keptAt < MAX_WAIT_MS && !clock.hasChanged(madeOf, since)
  const find = async (key: string): Promise<FoundAnswer | null> => {
    if (!slots.has(key)) return null
    await clock.settle(staleMs)
    const slot = slots.get(key)
    if (slot === undefined) return null
    if (holds(slot)) return { answer: slot.answer, packed: (coding) => packed(key, slot, coding) }
    slots.delete(key)
    return null
  }
  return {
    find: async (key) => {
      const found = await find(key)
      if (found === null) misses += 1
      else hits += 1
      return found
    },
    put: (key, answer, madeOf, since) => {
      if (clock.hasChanged(madeOf, since)) return false
      slots.set(key, { answer, madeOf, since, keptAt: performance.now(), packed: new Map() })
      return slots.has(key)
    },
    now: () => clock.now(),
    counts: () => ({ hits, misses, evictions, entries: slots.size, bytes: slots.calculatedSize }),
  }
}

function sizeOf({ answer, madeOf, packed }: Slot, key: string): number {
  let size = SLOT_BYTES + 2 * key.length + answer.body.length + (answer.cacheTags?.length ?? 0)
  for (const type of madeOf) size += 2 * type.length
  for (const body of packed.values()) size += body.length
  return size
}
