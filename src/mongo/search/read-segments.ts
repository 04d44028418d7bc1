import { LRUCache } from 'lru-cache'
import { readEntries, type SegmentEntry } from '../../query/text/postings.ts'
import type { Table } from '../connection/table.ts'
import type { Segment, SegmentRow } from './index-rows.ts'

export const CHUNK_ENTRIES = 128

export interface Directory {
  readonly firstTerms: readonly string[]
  readonly firstDocuments: readonly string[]
}

interface CachedRow {
  readonly directory?: Directory
  readonly block?: Uint8Array
  readonly entries?: readonly SegmentEntry[]
  readonly size: number
}

const MAX_CACHED_BYTES = 64 * 2 ** 20

/** The rows of segments never change, and their ids are random, so all databases of the process share a cache. */
const cachedRows = new LRUCache<string, CachedRow>({
  maxSize: MAX_CACHED_BYTES,
  sizeCalculation: ({ size }) => size,
})

export type SegmentRows = ReadonlyMap<string, CachedRow>

/** Rows that a merge has deleted since are missing. */
export async function readSegmentRows(
  rows: Table<SegmentRow>,
  ids: Iterable<string>,
): Promise<SegmentRows> {
  const found = new Map<string, CachedRow>()
  const missing: string[] = []
  for (const id of new Set(ids)) {
    const cached = cachedRows.get(id)
    if (cached === undefined) missing.push(id)
    else found.set(id, cached)
  }
  if (missing.length === 0) return found
  const read = await rows
    .find({ _id: { $in: missing } }, { batchSize: missing.length + 1 })
    .toArray()
  for (const row of read) {
    const cached = toCached(row)
    cachedRows.set(row._id, cached)
    found.set(row._id, cached)
  }
  return found
}

/** The estimated size of a decoded entry and of the `_id` of its version, in bytes. */
const ENTRY_SIZE = 240

function toCached({ _id, b, t = [], d = [] }: SegmentRow): CachedRow {
  const bytes = b?.value() ?? Buffer.alloc(0)
  const kind = _id.slice(_id.indexOf(':') + 1)
  if (kind === 'i' || kind === 's') {
    const size = 64 * (1 + t.length + d.length)
    return { directory: { firstTerms: t, firstDocuments: d }, size }
  }
  if (kind.startsWith('t') || kind.startsWith('w')) return { block: bytes, size: bytes.length + 64 }
  const entries = readEntries(bytes)
  return { entries, size: 64 + ENTRY_SIZE * entries.length }
}

export const directoryId = (segment: string): string => `${segment}:i`
export const spellingsId = (segment: string): string => `${segment}:s`
export const spellingId = (segment: string, block: number): string => `${segment}:w${block}`
export const blockId = (segment: string, block: number): string => `${segment}:t${block}`
export const chunkId = (segment: string, chunk: number): string => `${segment}:d${chunk}`

export function chunkOf(ordinal: number): number {
  return Math.floor(ordinal / CHUNK_ENTRIES)
}

export async function readDirectories(
  rows: Table<SegmentRow>,
  segments: readonly Segment[],
): Promise<ReadonlyMap<string, Directory>> {
  const read = await readSegmentRows(
    rows,
    segments.map(({ id }) => directoryId(id)),
  )
  return new Map(
    segments.flatMap(({ id }): readonly [string, Directory][] => {
      const directory = read.get(directoryId(id))?.directory
      return directory === undefined ? [] : [[id, directory]]
    }),
  )
}

/** The place of the last element that is not above `wanted`; -1 if all are above it. */
export function lastUpTo(sorted: readonly string[], wanted: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') <= wanted) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The numbers of the blocks that may have terms of a range. */
export function blocksBetween(
  firstTerms: readonly string[],
  from: string,
  to: string,
): readonly number[] {
  // The end of the block before the first one that starts with the term may have it too.
  let first = lastUpTo(firstTerms, from)
  while (first > 0 && firstTerms[first] === from) first -= 1
  const start = Math.max(0, first)
  const count = Math.max(0, lastUpTo(firstTerms, to) - start + 1)
  return Array.from({ length: count }, (_, nth) => start + nth)
}

/** The end of the range of terms that begin with a text. */
export function endOfPrefix(prefix: string): string {
  return `${prefix}\uFFFF`
}

export function isDead({ dead }: Segment, ordinal: number): boolean {
  return dead.length() > 0 && ((dead.buffer[ordinal >> 3] ?? 0) & (1 << (ordinal & 7))) !== 0
}
