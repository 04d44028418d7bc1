import type { QueryTerm, QueryTerms } from './query-terms.ts'

/** The positions of a term by attribute. */
export type TermPlaces = ReadonlyMap<number, readonly number[]>

export interface TermMatch {
  readonly exact: TermPlaces | null
  /** A longer word that begins with the term. */
  readonly prefix: TermPlaces | null
}

export interface Candidate {
  readonly id: number
  /** In milliseconds since 1970. */
  readonly updatedAt: number
  readonly lengths: readonly number[]
  /** By the place of the term in the query. */
  readonly matches: ReadonlyMap<number, TermMatch>
}

export interface SearchStatistics {
  /** The number of indexed versions. */
  readonly count: number
  readonly averageLengths: readonly number[]
}

/** https://en.wikipedia.org/wiki/Okapi_BM25, with the frequencies of weighted attributes (BM25F) */
const K1 = 1.2
const B = 0.75

/** A longer word says less about the entry than the word itself. */
const PREFIX_SHARE = 0.6

/** Equal texts have equal scores, whatever the order of the additions. */
const PRECISION = 1e9

export type Weights = ReadonlyMap<number, number>

export function matchesSearch(
  { matches }: Candidate,
  { phrases }: QueryTerms,
  weights: Weights,
): boolean {
  const isFound = [...matches.values()].some(
    ({ exact, prefix }) => isWithin(exact, weights) || isWithin(prefix, weights),
  )
  return isFound && phrases.every((phrase) => containsPhrase(matches, phrase, weights))
}

function isWithin(places: TermPlaces | null, weights: Weights): boolean {
  return places !== null && [...places.keys()].some((attribute) => weights.has(attribute))
}

function containsPhrase(
  matches: Candidate['matches'],
  phrase: QueryTerms['phrases'][number],
  weights: Weights,
): boolean {
  const [first, ...rest] = phrase
  if (first === undefined) return true
  return [...weights.keys()].some((attribute) => {
    const positionsOf = (term: number): readonly number[] =>
      matches.get(term)?.exact?.get(attribute) ?? []
    return positionsOf(first.term).some((start) =>
      rest.every(({ term, offset }) => positionsOf(term).includes(start + offset)),
    )
  })
}

/** The number of candidates with each term. Only candidates that the caller sees may be counted. */
export function countTerms(
  terms: readonly QueryTerm[],
  candidates: Iterable<Candidate>,
  weights: Weights,
): readonly number[] {
  const counts = terms.map(() => 0)
  for (const { matches } of candidates) {
    for (const [term, { exact, prefix }] of matches) {
      if (isWithin(exact, weights) || isWithin(prefix, weights))
        counts[term] = (counts[term] ?? 0) + 1
    }
  }
  return counts
}

export function scoreOf(
  { matches, lengths }: Candidate,
  counts: readonly number[],
  { count, averageLengths }: SearchStatistics,
  weights: Weights,
): number {
  let score = 0
  for (const [term, { exact, prefix }] of [...matches].toSorted(([one], [other]) => one - other)) {
    const found = counts[term] ?? 0
    const rarity = Math.log(1 + (Math.max(count, found) - found + 0.5) / (found + 0.5))
    const frequency = Math.max(
      frequencyOf(exact, lengths, averageLengths, weights),
      PREFIX_SHARE * frequencyOf(prefix, lengths, averageLengths, weights),
    )
    score += (rarity * frequency * (K1 + 1)) / (K1 + frequency)
  }
  return Math.round(score * PRECISION) / PRECISION
}

function frequencyOf(
  places: TermPlaces | null,
  lengths: readonly number[],
  averages: readonly number[],
  weights: Weights,
): number {
  let frequency = 0
  for (const [attribute, positions] of places ?? []) {
    const average = averages[attribute] ?? 0
    const relative = average > 0 ? (lengths[attribute] ?? 0) / average : 1
    frequency += ((weights.get(attribute) ?? 0) * positions.length) / (1 - B + B * relative)
  }
  return frequency
}
