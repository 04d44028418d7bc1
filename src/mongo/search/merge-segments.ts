import { sortTerms } from '../../query/text/index-terms.ts'
import {
  type BlockTerm,
  copyPostings,
  copyTerms,
  type Posting,
  readBlock,
  type SegmentEntry,
} from '../../query/text/postings.ts'
import type { Table } from '../connection/table.ts'
import type { RecentVersionRow, Segment, SegmentRow } from './index-rows.ts'
import {
  blockId,
  chunkId,
  CHUNK_ENTRIES,
  directoryId,
  isDead,
  readSegmentRows,
} from './read-segments.ts'
import { type TermPostings, writeSegment } from './write-segment.ts'

/** Larger segments are merged no more, so that no merge delays the index for long. */
const MAX_MERGED_ENTRIES = 50_000

/**
 * Returns the segments to merge: the oldest one with at most as many entries as all newer ones together, and those. So each
 * segment is larger than all newer ones together, and there are few.
 */
export function chooseMerge(segments: readonly Segment[]): readonly Segment[] {
  const newestFirst = segments.toReversed()
  let merged = 0
  let living = 0
  for (const [at, segment] of newestFirst.entries()) {
    if (segment.living + living > MAX_MERGED_ENTRIES) break
    if (segment.living <= living) merged = at + 1
    living += segment.living
  }
  if (merged > 1) return newestFirst.slice(0, merged)
  const worn = segments.find((one) => one.living * 2 < one.entries)
  return worn === undefined ? [] : [worn]
}

const NO_BYTES = Buffer.alloc(0)

/** Versions as a segment. */
export function sealRecent(
  rows: Table<SegmentRow>,
  recent: readonly RecentVersionRow[],
): Promise<Segment> {
  const sorted = recent.toSorted((one, other) => (one.documentId < other.documentId ? -1 : 1))
  const terms = new Map<string, Posting[]>()
  for (const [ordinal, { b }] of sorted.entries()) {
    for (const { term, posting } of copyTerms(b?.value() ?? NO_BYTES, ordinal)) {
      const known = terms.get(term)
      if (known === undefined) terms.set(term, [posting])
      else known.push(posting)
    }
  }
  const entries = sorted.map(toSegmentEntry)
  const all = sortTerms(terms).map(([term, postings]) => ({ term, postings }))
  return writeSegment(rows, entries, [all])
}

export function toSegmentEntry({
  documentId,
  id = 0,
  updatedAt,
  seq,
  n = [],
}: RecentVersionRow): SegmentEntry {
  return { documentId, id, updatedAt: updatedAt?.getTime() ?? 0, seq, lengths: n }
}

interface LivingEntry extends SegmentEntry {
  readonly segment: number
  readonly ordinal: number
}

/** Null if another process has deleted one of the segments. */
export async function mergeSegments(
  rows: Table<SegmentRow>,
  segments: readonly Segment[],
): Promise<Segment | null> {
  const living: LivingEntry[] = []
  for (const [segment, one] of segments.entries()) {
    const entries = await readAllEntries(rows, one)
    if (entries === null) return null
    for (const [ordinal, entry] of entries.entries()) {
      if (!isDead(one, ordinal)) living.push({ ...entry, segment, ordinal })
    }
  }
  living.sort((one, other) => (one.documentId < other.documentId ? -1 : 1))
  const places = segments.map(({ entries }) => new Int32Array(entries).fill(-1))
  for (const [at, { segment, ordinal }] of living.entries()) {
    const ordinals = places[segment]
    if (ordinals !== undefined) ordinals[ordinal] = at
  }
  return writeSegment(rows, living, mergeTerms(rows, segments, places))
}

export async function readAllEntries(
  rows: Table<SegmentRow>,
  { id, entries: count }: Segment,
): Promise<readonly SegmentEntry[] | null> {
  const ids = Array.from({ length: Math.ceil(count / CHUNK_ENTRIES) }, (_, chunk) =>
    chunkId(id, chunk),
  )
  const read = await readSegmentRows(rows, ids)
  const entries = ids.flatMap((chunk) => read.get(chunk)?.entries ?? [])
  return entries.length === count ? entries : null
}

interface TermStream {
  readonly blocks: AsyncIterator<Uint8Array, undefined>
  /** The rest of a block. */
  terms: Iterator<BlockTerm, undefined>
  readonly ordinals: Int32Array
  head: BlockTerm | undefined
}

/** Postings that are merged before they are written. Waiting for each term would cost more than its merge. */
const BATCH_POSTINGS = 2_000

async function* mergeTerms(
  rows: Table<SegmentRow>,
  segments: readonly Segment[],
  places: readonly Int32Array[],
): AsyncGenerator<readonly TermPostings[]> {
  const streams: TermStream[] = []
  for (const [index, segment] of segments.entries()) {
    const ordinals = places[index] ?? new Int32Array()
    streams.push(await openStream(readBlocksOf(rows, segment), ordinals))
  }
  let batch: TermPostings[] = []
  let waiting = 0
  for (let term = firstTerm(streams); term !== null; term = firstTerm(streams)) {
    const postings: Posting[] = []
    for (const stream of streams) {
      while (stream.head?.term === term) {
        takePostings(stream.head, stream.ordinals, postings)
        stream.head = stream.terms.next().value ?? (await openBlock(stream))
      }
    }
    if (postings.length === 0) continue
    postings.sort((one, other) => one.ordinal - other.ordinal)
    batch.push({ term, postings })
    waiting += postings.length
    if (waiting < BATCH_POSTINGS) continue
    yield batch
    batch = []
    waiting = 0
  }
  yield batch
}

function firstTerm(streams: readonly TermStream[]): string | null {
  let first: string | null = null
  for (const { head } of streams) {
    if (head !== undefined && (first === null || head.term < first)) first = head.term
  }
  return first
}

function takePostings({ list }: BlockTerm, ordinals: Int32Array, postings: Posting[]): void {
  copyPostings(list, (from, start, end) => {
    const ordinal = ordinals[from] ?? -1
    if (ordinal >= 0) postings.push({ ordinal, bytes: list, start, end })
  })
}

async function openStream(blocks: TermStream['blocks'], ordinals: Int32Array): Promise<TermStream> {
  const stream: TermStream = { blocks, terms: readBlock(NO_BYTES), ordinals, head: undefined }
  stream.head = await openBlock(stream)
  return stream
}

/** Returns the first term of the next block. */
async function openBlock(stream: TermStream): Promise<BlockTerm | undefined> {
  const { value: block } = await stream.blocks.next()
  if (block === undefined) return undefined
  stream.terms = readBlock(block)
  return stream.terms.next().value
}

/** Blocks per command. */
const READ_BATCH = 32

async function* readBlocksOf(
  rows: Table<SegmentRow>,
  { id }: Segment,
): AsyncGenerator<Uint8Array, undefined> {
  const directory = (await readSegmentRows(rows, [directoryId(id)])).get(directoryId(id))?.directory
  const count = directory?.firstTerms.length ?? 0
  for (let start = 0; start < count; start += READ_BATCH) {
    const ids = Array.from({ length: Math.min(READ_BATCH, count - start) }, (_, nth) =>
      blockId(id, start + nth),
    )
    const read = await readSegmentRows(rows, ids)
    for (const one of ids) {
      const block = read.get(one)?.block
      // The merge is discarded, because the segment was replaced.
      if (block === undefined) return
      yield block
    }
  }
}
