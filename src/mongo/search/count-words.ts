import { beginTimeSlice } from '../../base/time-slice.ts'
import { wordTerm } from '../../query/text/index-terms.ts'
import { readBlock, readCounts, visitPostings } from '../../query/text/postings.ts'
import { isWithin, type Weights } from '../../query/text/rank.ts'
import type { Table } from '../connection/table.ts'
import type { Segment, SegmentRow } from './index-rows.ts'
import {
  blockId,
  blocksBetween,
  isDead,
  readDirectories,
  readSegmentRows,
} from './read-segments.ts'

/** Counts the entries of segments that have each word in these attributes. */
export async function countWords(
  rows: Table<SegmentRow>,
  segments: readonly Segment[],
  weights: Weights,
  words: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  if (words.length === 0) return counts
  const byTerm = new Map(words.map((word) => [wordTerm(word), word]))
  const directories = await readDirectories(rows, segments)
  const slice = beginTimeSlice()
  for (const segment of segments) {
    const firstTerms = directories.get(segment.id)?.firstTerms ?? []
    const read = await readSegmentRows(rows, blocksOf(segment, firstTerms, byTerm))
    for (const { block = NO_BLOCK } of read.values()) {
      addCounts(counts, segment, weights, termsIn(block, byTerm))
      if (slice.isOver()) await slice.next()
    }
  }
  return counts
}

function addCounts(
  counts: Map<string, number>,
  segment: Segment,
  weights: Weights,
  found: Iterable<readonly [string, Uint8Array]>,
): void {
  for (const [word, list] of found) {
    counts.set(word, (counts.get(word) ?? 0) + countEntries(segment, list, weights))
  }
}

const NO_BLOCK = Buffer.alloc(0)

function blocksOf(
  { id }: Segment,
  firstTerms: readonly string[],
  byTerm: ReadonlyMap<string, string>,
): readonly string[] {
  const numbers = [...byTerm.keys()].flatMap((term) => blocksBetween(firstTerms, term, term))
  return numbers.map((block) => blockId(id, block))
}

/** The lists of these words. */
function* termsIn(
  block: Uint8Array,
  byTerm: ReadonlyMap<string, string>,
): Generator<readonly [string, Uint8Array]> {
  for (const { term, list } of readBlock(block)) {
    const word = byTerm.get(term)
    if (word !== undefined) yield [word, list]
  }
}

function countEntries(segment: Segment, list: Uint8Array, weights: Weights): number {
  let count = 0
  visitPostings(list, readCounts, (ordinal, places) => {
    if (!isDead(segment, ordinal) && isWithin(places, weights)) count += 1
    return true
  })
  return count
}
