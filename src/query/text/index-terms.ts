import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Analyzer, Token } from './analyze-text.ts'
import { textOfAttribute } from './entry-text.ts'

/** A term of a version and its places. The names are short because each row repeats them. */
export interface Posting {
  /** `stem impact` or `word=impact`. */
  readonly t: string
  /** `attribute:position,position;attribute:…` in base 36. Positions are differences. */
  readonly a: string
}

export interface IndexedText {
  /** The number of indexed words per searched attribute. */
  readonly lengths: readonly number[]
  /** In the order of terms, so that a prefix finds the shortest one first. */
  readonly postings: readonly Posting[]
}

/** 0 is the highest impact. */
export const IMPACTS = [0, 1, 2, 3] as const

/** Titles such as "The Who" are found. In longer texts stop words would match almost everything. */
const MAX_WORDS_WITH_STOP_WORDS = 32

/** Further occurrences hardly change a score. */
const MAX_POSITIONS = 24

export function indexVersion(
  plan: ContentTypePlan,
  version: Data,
  analyzer: Analyzer,
): IndexedText {
  const stems = new Map<string, Places>()
  const words = new Map<string, Places>()
  const weights = [...(plan.search?.weights ?? [])]
  const lengths = weights.map(([name], place) => {
    const attribute = plan.attributes.get(name)
    if (attribute === undefined) return 0
    const tokens = indexedTokens(analyzer, textOfAttribute(attribute, version[name]))
    for (const { stem, word, position } of tokens) {
      add(stems, stem, place, position)
      if (word !== stem) add(words, word, place, position)
    }
    return tokens.length
  })
  const impacts = weights.map(([, weight]) => weight)
  const postings = [
    ...[...stems].map(([stem, places]) => toPosting(`${stem} `, places, impacts, lengths)),
    ...[...words].map(([word, places]) => toPosting(`${word}=`, places, impacts, lengths)),
  ]
  return { lengths, postings: postings.toSorted((one, other) => (one.t < other.t ? -1 : 1)) }
}

function indexedTokens(analyzer: Analyzer, text: string): readonly Token[] {
  const tokens = analyzer.tokens(text)
  if (tokens.length <= MAX_WORDS_WITH_STOP_WORDS) return tokens
  return tokens.filter(({ isStopWord }) => !isStopWord)
}

/** The positions of a term by attribute. */
export type Places = Map<number, { count: number; readonly positions: number[] }>

function add(terms: Map<string, Places>, term: string, attribute: number, position: number): void {
  const places: Places = terms.get(term) ?? new Map()
  terms.set(term, places)
  const place = places.get(attribute) ?? { count: 0, positions: [] }
  places.set(attribute, place)
  place.count += 1
  if (place.positions.length < MAX_POSITIONS) place.positions.push(position)
}

function toPosting(
  name: string,
  places: Places,
  weights: readonly number[],
  lengths: readonly number[],
): Posting {
  const a = [...places].map(([attribute, { positions }]) => {
    const steps = positions.map((one, index) => (one - (positions[index - 1] ?? 0)).toString(36))
    return `${attribute.toString(36)}:${steps.join(',')}`
  })
  return { t: `${name}${impactOf(places, weights, lengths)}`, a: a.join(';') }
}

/** Estimates the score with a usual length, because the average length is unknown here. */
const USUAL_LENGTH = 100

function impactOf(
  places: Places,
  weights: readonly number[],
  lengths: readonly number[],
): (typeof IMPACTS)[number] {
  const highest = Math.max(...weights)
  let frequency = 0
  for (const [attribute, { count }] of places) {
    const length = lengths[attribute] ?? 0
    frequency +=
      ((weights[attribute] ?? 0) / highest) * (count / (0.25 + (0.75 * length) / USUAL_LENGTH))
  }
  const share = frequency / (1.2 + frequency)
  if (share >= 0.7) return 0
  if (share >= 0.5) return 1
  return share >= 0.25 ? 2 : 3
}

export function parsePlaces(a: string): ReadonlyMap<number, readonly number[]> {
  const places = new Map<number, readonly number[]>()
  for (const part of a.split(';')) {
    const [attribute = '', steps = ''] = part.split(':')
    let position = 0
    places.set(
      Number.parseInt(attribute, 36),
      steps.split(',').map((step) => {
        position += Number.parseInt(step, 36)
        return position
      }),
    )
  }
  return places
}
