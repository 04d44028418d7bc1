import {
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

/** A segment is merged with newer ones that have together at least half of its entries. */
const GROWTH = 2

/** Sizes at least double from segment to segment, so there are few. Returns the segments to merge. */
export function chooseMerge(segments: readonly Segment[]): readonly Segment[] {
  const worn = segments.find(({ living, entries }) => living * 2 < entries)
  const chosen: Segment[] = []
  let living = 0
  for (const segment of segments.toReversed()) {
    const isFar = chosen.length > 0 && segment.living > GROWTH * living
    if (isFar || segment.living + living > MAX_MERGED_ENTRIES) break
    chosen.push(segment)
    living += segment.living
  }
  if (chosen.length > 1) return chosen
  return worn === undefined ? [] : [worn]
}

/** Versions as a segment. */
export function sealRecent(
  rows: Table<SegmentRow>,
  recent: readonly RecentVersionRow[],
): Promise<Segment> {
  const sorted = recent.toSorted((one, other) => (one.documentId < other.documentId ? -1 : 1))
  const terms = new Map<string, Posting[]>()
  for (const [ordinal, { b }] of sorted.entries()) {
    for (const { term, places } of copyTerms(b?.value() ?? Buffer.alloc(0))) {
      const posting = { ordinal, places }
      const known = terms.get(term)
      if (known === undefined) terms.set(term, [posting])
      else known.push(posting)
    }
  }
  const entries = sorted.map(toSegmentEntry)
  const all = [...terms].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return writeSegment(
    rows,
    entries,
    all.map(([term, postings]) => ({ term, postings })),
  )
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
  readonly terms: AsyncIterator<{ readonly term: string; readonly list: Uint8Array }, undefined>
  readonly ordinals: Int32Array
  head: { readonly term: string; readonly list: Uint8Array } | undefined
}

async function* mergeTerms(
  rows: Table<SegmentRow>,
  segments: readonly Segment[],
  places: readonly Int32Array[],
): AsyncGenerator<TermPostings> {
  const streams: TermStream[] = []
  for (const [index, segment] of segments.entries()) {
    const terms = readTermsOf(rows, segment)
    const ordinals = places[index] ?? new Int32Array()
    streams.push({ terms, ordinals, head: (await terms.next()).value ?? undefined })
  }
  for (;;) {
    const term = firstTerm(streams)
    if (term === null) return
    const postings: Posting[] = []
    for (const stream of streams) await takeTerm(stream, term, postings)
    postings.sort((one, other) => one.ordinal - other.ordinal)
    if (postings.length > 0) yield { term, postings }
  }
}

function firstTerm(streams: readonly TermStream[]): string | null {
  let first: string | null = null
  for (const { head } of streams) {
    if (head !== undefined && (first === null || head.term < first)) first = head.term
  }
  return first
}

async function takeTerm(stream: TermStream, term: string, postings: Posting[]): Promise<void> {
  while (stream.head?.term === term) {
    for (const { ordinal, places } of copyPostings(stream.head.list)) {
      const moved = stream.ordinals[ordinal] ?? -1
      if (moved >= 0) postings.push({ ordinal: moved, places })
    }
    stream.head = (await stream.terms.next()).value ?? undefined
  }
}

/** Blocks per command. */
const READ_BATCH = 32

async function* readTermsOf(
  rows: Table<SegmentRow>,
  { id }: Segment,
): AsyncGenerator<{ readonly term: string; readonly list: Uint8Array }, undefined> {
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
      yield* readBlock(block)
    }
  }
}
