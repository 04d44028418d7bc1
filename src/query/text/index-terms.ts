import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Analyzer, Token } from './analyze-text.ts'
import { textOfAttribute } from './entry-text.ts'
import type { TermPlaces } from './rank.ts'

/** A term of a version: `stem ` and `word=` of each word. */
export interface IndexedTerm {
  readonly term: string
  readonly places: TermPlaces
}

export interface IndexedText {
  /** The number of indexed words per searched attribute. */
  readonly lengths: readonly number[]
  /** In the order of terms, so that a prefix finds the shortest one first. */
  readonly terms: readonly IndexedTerm[]
}

/** Stems end with a space, so that they come before longer words. */
export const stemTerm = (stem: string): string => `${stem} `

const WORD_END = '='

export const wordTerm = (word: string): string => `${word}${WORD_END}`

/** Null for a term of a stem. */
export function wordOfTerm(term: string): string | null {
  return term.endsWith(WORD_END) ? term.slice(0, -WORD_END.length) : null
}

/** Titles such as "The Who" are found. In longer texts stop words would match almost everything. */
const MAX_WORDS_WITH_STOP_WORDS = 32

/** Further occurrences hardly change a score. */
const MAX_POSITIONS = 24

export function indexVersion(
  plan: ContentTypePlan,
  version: Data,
  analyzer: Analyzer,
): IndexedText {
  const terms = new Map<string, GrowingPlaces[]>()
  const names = [...(plan.search?.weights.keys() ?? [])]
  const lengths = names.map((name, place) => {
    const attribute = plan.attributes.get(name)
    if (attribute === undefined) return 0
    const tokens = indexedTokens(analyzer, textOfAttribute(attribute, version[name]))
    for (const { stem, word, position } of tokens) {
      add(terms, stemTerm(stem), place, position)
      add(terms, wordTerm(word), place, position)
    }
    return tokens.length
  })
  return { lengths, terms: sortTerms(terms).map(([term, places]) => ({ term, places })) }
}

/** In the order of UTF-16 units, which is that of `<`. A comparison function would take most of the time. */
export function sortTerms<T>(terms: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...terms.keys()].toSorted().map((term) => [term, terms.get(term) as T])
}

interface GrowingPlaces {
  readonly attribute: number
  readonly positions: number[]
}

function indexedTokens(analyzer: Analyzer, text: string): readonly Token[] {
  const tokens = analyzer.tokens(text)
  if (tokens.length <= MAX_WORDS_WITH_STOP_WORDS) return tokens
  return tokens.filter(({ isStopWord }) => !isStopWord)
}

/** Attributes come in ascending order. */
function add(
  terms: Map<string, GrowingPlaces[]>,
  term: string,
  attribute: number,
  position: number,
): void {
  const places = terms.get(term)
  const last = places?.at(-1)
  if (places === undefined) terms.set(term, [{ attribute, positions: [position] }])
  else if (last?.attribute !== attribute) places.push({ attribute, positions: [position] })
  else if (last.positions.length < MAX_POSITIONS) last.positions.push(position)
}
