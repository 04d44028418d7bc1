import type { QueryTerm, QueryTerms } from './query-terms.ts'

export interface AttributePlaces {
  readonly attribute: number
  readonly positions: readonly number[]
}

/** The positions of a term, with one element per attribute. */
export type TermPlaces = readonly AttributePlaces[]

export interface TermMatch {
  exact: TermPlaces | null
  /** A longer word that begins with the term. */
  prefix: TermPlaces | null
}

/** By the place of the term in the query. A search reads many of them, so they are arrays. */
export type TermMatches = readonly (Readonly<TermMatch> | undefined)[]

export interface Candidate {
  readonly id: number
  /** In milliseconds since 1970. */
  readonly updatedAt: number
  readonly lengths: readonly number[]
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
    ? terms.length > 0 && terms.every((_, term) => isMatchWithin(matches[term], weights))
    : matches.some((match) => isMatchWithin(match, weights))
  return isFound && phrases.every((phrase) => containsPhrase(matches, phrase, weights))
}

/** Whether one of the candidates has a term. */
export function hasTerm(candidates: Iterable<Candidate>, term: number, weights: Weights): boolean {
  for (const { matches } of candidates) if (isMatchWithin(matches[term], weights)) return true
  return false
}

function isMatchWithin(match: TermMatches[number], weights: Weights): boolean {
  return match !== undefined && (isWithin(match.exact, weights) || isWithin(match.prefix, weights))
}

export function isWithin(places: TermPlaces | null, weights: Weights): boolean {
  return places !== null && places.some(({ attribute }) => weights.has(attribute))
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
      matches[term]?.exact?.find((one) => one.attribute === attribute)?.positions ?? []
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
  return ({ matches, lengths }) => {
    let score = 0
    for (const [term, rarity] of rarities.entries()) {
      const match = matches[term]
      if (match === undefined) continue
      const frequency = Math.max(
        frequencyOf(match.exact, lengths, averageLengths, weights),
        PREFIX_SHARE * frequencyOf(match.prefix, lengths, averageLengths, weights),
      )
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
    for (let term = 0; term < matches.length; term += 1) {
      if (isMatchWithin(matches[term], weights)) counts[term] = (counts[term] ?? 0) + 1
    }
  }
  return counts
}

function frequencyOf(
  places: TermPlaces | null,
  lengths: readonly number[],
  averages: readonly number[],
  weights: Weights,
): number {
  if (places === null) return 0
  let frequency = 0
  for (const { attribute, positions } of places) {
    const average = averages[attribute] ?? 0
    const relative = average > 0 ? (lengths[attribute] ?? 0) / average : 1
    frequency += ((weights.get(attribute) ?? 0) * positions.length) / (1 - B + B * relative)
  }
  return frequency
}
