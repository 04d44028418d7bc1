import { beginTimeSlice } from '../../base/time-slice.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Analyzer, Token } from '../../query/text/analyze-text.ts'
import { wordOfTerm } from '../../query/text/index-terms.ts'
import { nearDistance } from '../../query/text/near-words.ts'
import { readTerms } from '../../query/text/postings.ts'
import type { Corrections } from '../../query/text/query-terms.ts'
import { isWithin, type Weights } from '../../query/text/rank.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { countWords } from './count-words.ts'
import {
  type RecentVersionRow,
  recentRowsOf,
  segmentRowsOf,
  textIndexesOf,
  textIndexId,
} from './index-rows.ts'
import { findSpellings, readSpellings } from './read-spellings.ts'

export interface Dictionary {
  readonly plan: ContentTypePlan
  readonly form: string
  readonly keys: readonly VersionKey[]
  /** Words that are only in other attributes do not count. */
  readonly weights: Weights
  readonly analyzer: Analyzer
}

/** The number of entries by word. */
type WordCounts = ReadonlyMap<string, number>

/** Equally near words beyond it, in the order of the index, are not compared. */
const MAX_COUNTED = 64

const DISTANCES = [1, 2]

/**
 * Finds the nearest words. Of equally near words, the one in most entries is chosen, then the first one in the order of
 * the index.
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
  const spellings = await readSpellings(rows, segments)
  const recentWords = await countRecent(recent, weights)
  const corrections = new Map<string, Pick<Token, 'word' | 'stem'>>()
  for (const word of words) {
    const others = await findSpellings(rows, spellings, word)
    const near = await sortByDistance(word, new Set([...recentWords.keys(), ...others]))
    for (const distance of DISTANCES) {
      const same = (near.get(distance) ?? []).toSorted().slice(0, MAX_COUNTED)
      const counted = await countWords(rows, segments, weights, same)
      const best = bestOf(same, [counted, recentWords], analyzer)
      if (best === null) continue
      corrections.set(word, { word: best.word, stem: best.stem })
      break
    }
  }
  return corrections
}

async function countRecent(
  recent: readonly RecentVersionRow[],
  weights: Weights,
): Promise<WordCounts> {
  const counts = new Map<string, number>()
  const slice = beginTimeSlice()
  for (const { b } of recent) {
    for (const { term, places } of readTerms(b?.value() ?? Buffer.alloc(0))) {
      const word = isWithin(places, weights) ? wordOfTerm(term) : null
      if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    if (slice.isOver()) await slice.next()
  }
  return counts
}

async function sortByDistance(
  word: string,
  others: Iterable<string>,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const near = new Map(DISTANCES.map((distance): [number, string[]] => [distance, []]))
  const slice = beginTimeSlice()
  for (const other of others) {
    const distance = nearDistance(word, other)
    if (distance !== null) near.get(distance)?.push(other)
    if (slice.isOver()) await slice.next()
  }
  return near
}

/** Stop words are left out, because most searches ignore them. */
function bestOf(
  words: readonly string[],
  counts: readonly WordCounts[],
  analyzer: Analyzer,
): Token | null {
  const sorted = words
    .map((word) => ({ word, count: counts.reduce((sum, one) => sum + (one.get(word) ?? 0), 0) }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count || (one.word < other.word ? -1 : 1))
  for (const { word } of sorted) {
    const [token, ...others] = analyzer.tokens(word)
    if (token?.word === word && others.length === 0 && !token.isStopWord) return token
  }
  return null
}
