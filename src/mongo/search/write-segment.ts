import { randomBytes } from 'node:crypto'
import { Binary } from 'mongodb'
import { beginTimeSlice } from '../../base/time-slice.ts'
import { wordOfTerm } from '../../query/text/index-terms.ts'
import { isCorrection } from '../../query/text/near-words.ts'
import {
  BlockWriter,
  type Posting,
  type SegmentEntry,
  writeEntries,
} from '../../query/text/postings.ts'
import type { Table } from '../connection/table.ts'
import { type Segment, type SegmentRow, toBinary } from './index-rows.ts'
import {
  blockId,
  CHUNK_ENTRIES,
  chunkId,
  directoryId,
  spellingId,
  spellingsId,
} from './read-segments.ts'
import { writeSpelling } from './write-spelling.ts'

export interface TermPostings {
  readonly term: string
  readonly postings: readonly Posting[]
}

/** Rows per command. */
const BATCH = 100

/**
 * Stores a segment that no search reads yet. `entries` are in the order of their documents, `batches` in the order of
 * terms.
 */
export async function writeSegment(
  rows: Table<SegmentRow>,
  entries: readonly SegmentEntry[],
  batches: Iterable<readonly TermPostings[]> | AsyncIterable<readonly TermPostings[]>,
): Promise<Segment> {
  const id = randomBytes(9).toString('base64url')
  const waiting: SegmentRow[] = []
  const put = async (row: SegmentRow | null): Promise<void> => {
    if (row !== null) waiting.push(row)
    if (waiting.length >= BATCH || (row === null && waiting.length > 0))
      await rows.insertMany(waiting.splice(0))
  }
  const firstDocuments = await putChunks(id, entries, put)
  const firstTerms: string[] = []
  const blocks = new BlockWriter()
  const putBlocks = async (complete: ReturnType<BlockWriter['take']>): Promise<void> => {
    for (const { first, bytes } of complete) {
      await put({ _id: blockId(id, firstTerms.length), b: toBinary(bytes) })
      firstTerms.push(first)
    }
  }
  const words: string[] = []
  const slice = beginTimeSlice()
  for await (const batch of batches) {
    for (const { term, postings } of batch) {
      blocks.add(term, postings)
      const word = wordOfTerm(term)
      if (word !== null && isCorrection(word)) words.push(word)
      const complete = blocks.take(false)
      if (complete.length > 0) await putBlocks(complete)
      if (slice.isOver()) await slice.next()
    }
  }
  await putBlocks(blocks.take(true))
  await put({ _id: directoryId(id), t: firstTerms, d: firstDocuments })
  await putSpellings(id, words, put)
  await put(null)
  return {
    id,
    entries: entries.length,
    dead: new Binary(),
    living: entries.length,
    words: sumWords(entries),
  }
}

type PutRow = (row: SegmentRow) => Promise<void>

/** Returns the first document of each chunk. */
async function putChunks(
  id: string,
  entries: readonly SegmentEntry[],
  put: PutRow,
): Promise<readonly string[]> {
  const firstDocuments: string[] = []
  for (let start = 0; start < entries.length; start += CHUNK_ENTRIES) {
    const chunk = entries.slice(start, start + CHUNK_ENTRIES)
    await put({
      _id: chunkId(id, firstDocuments.length),
      b: toBinary(writeEntries(chunk)),
    })
    firstDocuments.push(chunk[0]?.documentId ?? '')
  }
  return firstDocuments
}

async function putSpellings(id: string, words: readonly string[], put: PutRow): Promise<void> {
  const firstKeys: string[] = []
  for await (const { first, bytes } of writeSpelling(words)) {
    await put({ _id: spellingId(id, firstKeys.length), b: toBinary(bytes) })
    firstKeys.push(first)
  }
  await put({ _id: spellingsId(id), t: firstKeys })
}

function sumWords(entries: readonly SegmentEntry[]): readonly number[] {
  const words: number[] = []
  for (const { lengths } of entries) addWords(words, lengths, 1)
  return words
}

export function addWords(words: number[], lengths: readonly number[], sign: 1 | -1): void {
  for (const [place, length] of lengths.entries()) {
    words[place] = (words[place] ?? 0) + sign * length
  }
}

/** Segments are immutable, so their rows are deleted together. `;` is the character after `:`. */
export async function deleteSegments(
  rows: Table<SegmentRow>,
  segments: readonly Pick<Segment, 'id'>[],
): Promise<void> {
  for (const { id } of segments) {
    await rows.deleteMany({ _id: { $gte: `${id}:`, $lt: `${id};` } })
  }
}
