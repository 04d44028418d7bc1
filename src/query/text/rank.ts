import type { QueryTerm, QueryTerms } from './query-terms.ts'

export interface AttributePlaces {
  readonly attribute: number
  readonly positions: readonly number[]
}

/** The positions of a term, with one element per attribute. */
export type TermPlaces = readonly AttributePlaces[]

/**
 * Two elements per term of the query: the places of the term at `exactSlot`, and those of a longer word that begins with
 * it at `prefixSlot`. A search reads thousands of them, so each list has its size from the start.
 */
export type TermMatches = readonly (TermPlaces | null)[]

export const exactSlot = (term: number): number => 2 * term
export const prefixSlot = (term: number): number => 2 * term + 1

export interface RankedVersion {
  readonly id: number
  /** In milliseconds since 1970. */
  readonly updatedAt: number
  /** The number of words per attribute. */
  readonly lengths: readonly number[]
}

export interface Candidate {
  readonly version: RankedVersion
  readonly matches: TermMatches
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
  { terms, phrases }: QueryTerms,
  weights: Weights,
  matchesAll: boolean,
): boolean {
  const isFound = matchesAll
    ? terms.length > 0 && terms.every((_, term) => isTermWithin(matches, term, weights))
    : matches.some((places) => isWithin(places, weights))
  return isFound && phrases.every((phrase) => containsPhrase(matches, phrase, weights))
}

/** Whether one of the candidates has a term. */
export function hasTerm(candidates: Iterable<Candidate>, term: number, weights: Weights): boolean {
  for (const { matches } of candidates) if (isTermWithin(matches, term, weights)) return true
  return false
}

function isTermWithin(matches: TermMatches, term: number, weights: Weights): boolean {
  return isWithin(matches[exactSlot(term)], weights) || isWithin(matches[prefixSlot(term)], weights)
}

export function isWithin(places: TermPlaces | null | undefined, weights: Weights): boolean {
  if (!places) return false
  for (const { attribute } of places) if (weights.has(attribute)) return true
  return false
}

function containsPhrase(
  matches: TermMatches,
  phrase: QueryTerms['phrases'][number],
  weights: Weights,
): boolean {
  const [first, ...rest] = phrase
  if (first === undefined) return true
  return [...weights.keys()].some((attribute) => {
    const positionsOf = (term: number): readonly number[] =>
      matches[exactSlot(term)]?.find((one) => one.attribute === attribute)?.positions ?? []
    return positionsOf(first.term).some((start) =>
      rest.every(({ term, offset }) => positionsOf(term).includes(start + offset)),
    )
  })
}

/** Computes scores by the number of candidates with each term. Only those that the caller sees may be counted. */
export function openScores(
  terms: readonly QueryTerm[],
  counted: Iterable<Candidate>,
  { count, averageLengths }: SearchStatistics,
  weights: Weights,
): (candidate: Candidate) => number {
  const rarities = countTerms(terms, counted, weights).map((found) =>
    Math.log(1 + (Math.max(count, found) - found + 0.5) / (found + 0.5)),
  )
  return ({ matches, version: { lengths } }) => {
    let score = 0
    for (const [term, rarity] of rarities.entries()) {
      const frequency = Math.max(
        frequencyOf(matches[exactSlot(term)], lengths, averageLengths, weights),
        PREFIX_SHARE * frequencyOf(matches[prefixSlot(term)], lengths, averageLengths, weights),
      )
      if (frequency === 0) continue
      score += (rarity * frequency * (K1 + 1)) / (K1 + frequency)
    }
    return Math.round(score * PRECISION) / PRECISION
  }
}

function countTerms(
  terms: readonly QueryTerm[],
  candidates: Iterable<Candidate>,
  weights: Weights,
): readonly number[] {
  const counts = terms.map(() => 0)
  for (const { matches } of candidates) {
    for (let term = 0; term < counts.length; term += 1) {
      if (isTermWithin(matches, term, weights)) counts[term] = (counts[term] ?? 0) + 1
    }
  }
  return counts
}

function frequencyOf(
  places: TermPlaces | null | undefined,
  lengths: readonly number[],
  averages: readonly number[],
  weights: Weights,
): number {
  if (!places) return 0
  let frequency = 0
  for (const { attribute, positions } of places) {
    const average = averages[attribute] ?? 0
    const relative = average > 0 ? (lengths[attribute] ?? 0) / average : 1
    frequency += ((weights.get(attribute) ?? 0) * positions.length) / (1 - B + B * relative)
  }
  return frequency
}
