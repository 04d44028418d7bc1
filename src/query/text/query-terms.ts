import type { Analyzer, Token } from './analyze-text.ts'

export interface QueryTerm {
  readonly word: string
  readonly stem: string
  /** Also matches longer words: the last word of a text may be incomplete. */
  readonly isPrefix: boolean
}

/** Words that follow each other. Their positions are relative to the first word. */
export type Phrase = readonly { readonly term: number; readonly offset: number }[]

export interface QueryTerms {
  readonly terms: readonly QueryTerm[]
  /** A result contains all of them. */
  readonly phrases: readonly Phrase[]
  /** Whether words after the first `MAX_TERMS` were left out. */
  readonly isCut: boolean
}

/** By misspelled word: the word that is searched instead. */
export type Corrections = ReadonlyMap<string, Pick<Token, 'word' | 'stem'>>

const NONE: Corrections = new Map()

/** Of different words. */
export const MAX_TERMS = 16
/** Of a part of a text, stop words included. A text of the maximal length has fewer. */
const MAX_TOKENS = 256

/** Shorter words would match a large part of all entries. */
const MIN_PREFIX_LENGTH = 2

/** Texts in double quotes are phrases. Stop words count only in a text without other words. */
export function queryTerms(
  text: string,
  analyzer: Analyzer,
  corrections: Corrections = NONE,
): QueryTerms {
  const parts = partsOf(text).map((part) => ({
    ...part,
    tokens: analyzer
      .tokens(part.text, MAX_TOKENS)
      .map((token) => ({ ...token, ...corrections.get(token.word) })),
  }))
  const all = parts.flatMap(({ tokens }) => tokens)
  const withStopWords = all.every(({ isStopWord }) => isStopWord)
  const counts = (token: Token): boolean => withStopWords || !token.isStopWord
  const terms: QueryTerm[] = []
  const phrases: Phrase[] = []
  let isCut = false
  const place = (word: string, stem: string, isPrefix: boolean): number => {
    const known = terms.findIndex((term) => term.stem === stem && term.isPrefix === isPrefix)
    if (known >= 0) return known
    if (terms.length < MAX_TERMS) return terms.push({ word, stem, isPrefix }) - 1
    isCut = true
    return -1
  }
  for (const { tokens, isPhrase, isOpen } of parts) {
    const counted = tokens.filter(counts)
    const phrase = counted.map(({ word, stem, position }, index) => {
      const isLast = isOpen && index === counted.length - 1 && position === tokens.length - 1
      const isPrefix = isLast && word.length >= MIN_PREFIX_LENGTH
      return { term: place(word, stem, isPrefix), offset: position - (counted[0]?.position ?? 0) }
    })
    const known = phrase.filter(({ term }) => term >= 0)
    if (isPhrase && known.length > 0) phrases.push(known)
  }
  return { terms, phrases, isCut }
}

interface Part {
  readonly text: string
  readonly isPhrase: boolean
  /** The caller may still be typing its last word. */
  readonly isOpen: boolean
}

function partsOf(text: string): readonly Part[] {
  const pieces = text.split(/["“”„«»]/u)
  return pieces.map((piece, index) => {
    const isClosed = index < pieces.length - 1
    const isPhrase = index % 2 === 1 && isClosed
    return { text: piece, isPhrase, isOpen: !isClosed && /[\p{L}\p{M}\p{N}]$/u.test(piece) }
  })
}
