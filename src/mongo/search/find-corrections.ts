import { beginTimeSlice } from '../../base/time-slice.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Analyzer, Token } from '../../query/text/analyze-text.ts'
import { wordOfTerm } from '../../query/text/index-terms.ts'
import { nearDistance } from '../../query/text/near-words.ts'
import { readBlock, readPostings, readTerms } from '../../query/text/postings.ts'
import type { Corrections } from '../../query/text/query-terms.ts'
import { isWithin, type Weights } from '../../query/text/rank.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import {
  recentRowsOf,
  type Segment,
  segmentRowsOf,
  textIndexesOf,
  textIndexId,
} from './index-rows.ts'
import {
  blockId,
  blocksBetween,
  type Directory,
  endOfPrefix,
  isDead,
  readDirectories,
  readSegmentRows,
} from './read-segments.ts'

interface NearWord {
  readonly distance: number
  /** The number of entries. */
  count: number
}

interface NearWords {
  readonly word: string
  /** The letters that all of them share with the word. */
  readonly prefix: string
  readonly weights: Weights
  /** By word of the index. */
  readonly found: Map<string, NearWord>
}

export interface Dictionary {
  readonly plan: ContentTypePlan
  readonly form: string
  readonly keys: readonly VersionKey[]
  /** Words that are only in other attributes do not count. */
  readonly weights: Weights
  readonly analyzer: Analyzer
}

/**
 * Finds the nearest words that have the same first letter. Of equally near words, the one in most entries is chosen,
 * then the first one in the order of the index.
 */
export async function findCorrections(
  database: Database,
  dictionary: Dictionary,
  words: readonly string[],
): Promise<Corrections> {
  const { plan, form, keys, weights, analyzer } = dictionary
  const ids = keys.map((key) => textIndexId(plan, form, key))
  const recent = await recentRowsOf(database)
    .find({ index: { $in: ids } }, { batchSize: 1_000 })
    .toArray()
  const indexes = await textIndexesOf(database)
    .find({ _id: { $in: ids } })
    .toArray()
  const rows = segmentRowsOf(database, plan)
  const segments = indexes.flatMap((index) => index.segments)
  const directories = await readDirectories(rows, segments)
  const corrections = new Map<string, Pick<Token, 'word' | 'stem'>>()
  for (const word of words) {
    const range = rangeOf(word, segments, directories)
    if (range === null) continue
    const { prefix, wanted } = range
    const near: NearWords = { word, prefix, weights, found: new Map() }
    for (const { b } of recent) addRecent(near, b?.value() ?? Buffer.alloc(0))
    const blocks = await readSegmentRows(
      rows,
      wanted.map(({ id }) => id),
    )
    const slice = beginTimeSlice()
    for (const { id, segment } of wanted) {
      addBlock(near, segment, blocks.get(id)?.block)
      if (slice.isOver()) await slice.next()
    }
    const best = bestOf(near, analyzer)
    if (best !== null) corrections.set(word, { word: best.word, stem: best.stem })
  }
  return corrections
}

function addRecent(near: NearWords, bytes: Uint8Array): void {
  for (const { term, places } of readTerms(bytes)) {
    addNear(near, term, () => (isWithin(places, near.weights) ? 1 : 0))
  }
}

interface WordRange {
  readonly prefix: string
  readonly wanted: readonly WantedBlock[]
}

interface WantedBlock {
  readonly id: string
  readonly segment: Segment
}

/** Blocks that are read for one word. */
const MAX_BLOCKS = 32

/** A range of more blocks is narrowed by another letter, up to this number of letters. */
const MAX_SHARED_LETTERS = 3

/** The words with the same first letter, or with more equal letters if there are too many. */
function rangeOf(
  word: string,
  segments: readonly Segment[],
  directories: ReadonlyMap<string, Directory>,
): WordRange | null {
  for (let letters = 1; letters <= MAX_SHARED_LETTERS; letters += 1) {
    const prefix = word.slice(0, letters)
    const wanted = segments.flatMap((segment): readonly WantedBlock[] => {
      const { firstTerms = [] } = directories.get(segment.id) ?? {}
      const blocks = blocksBetween(firstTerms, prefix, endOfPrefix(prefix))
      return blocks.map((block) => ({ id: blockId(segment.id, block), segment }))
    })
    if (wanted.length <= MAX_BLOCKS) return { prefix, wanted }
  }
  return null
}

function addBlock(near: NearWords, segment: Segment, block: Uint8Array | undefined): void {
  if (block === undefined) return // deleted by a merge
  for (const { term, list } of readBlock(block)) {
    addNear(near, term, () => {
      let count = 0
      for (const [ordinal, places] of readPostings(list)) {
        if (!isDead(segment, ordinal) && isWithin(places, near.weights)) count += 1
      }
      return count
    })
  }
}

function addNear(
  { word, prefix, found }: NearWords,
  term: string,
  countEntries: () => number,
): void {
  const other = term.startsWith(prefix) ? wordOfTerm(term) : null
  if (other === null) return
  const distance = found.get(other)?.distance ?? nearDistance(word, other)
  if (distance === null) return
  const known = found.get(other) ?? { distance, count: 0 }
  known.count += countEntries()
  found.set(other, known)
}

/** Stop words are left out, because most searches ignore them. */
function bestOf({ found }: NearWords, analyzer: Analyzer): Token | null {
  const sorted = [...found]
    .filter(([, { count }]) => count > 0)
    .toSorted(
      ([one, a], [other, b]) =>
        a.distance - b.distance || b.count - a.count || (one < other ? -1 : 1),
    )
  for (const [word] of sorted) {
    const [token, ...others] = analyzer.tokens(word)
    if (token?.word === word && others.length === 0 && !token.isStopWord) return token
  }
  return null
}
