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
}

const MAX_TERMS = 16

/** Shorter words would match a large part of all entries. */
const MIN_PREFIX_LENGTH = 2

/** Texts in double quotes are phrases. Stop words count only in a text without other words. */
export function queryTerms(text: string, analyzer: Analyzer): QueryTerms {
  const parts = partsOf(text).map((part) => ({
    ...part,
    tokens: analyzer.tokens(part.text, MAX_TERMS * 2),
  }))
  const all = parts.flatMap(({ tokens }) => tokens)
  const withStopWords = all.every(({ isStopWord }) => isStopWord)
  const counts = (token: Token): boolean => withStopWords || !token.isStopWord
  const terms: QueryTerm[] = []
  const phrases: Phrase[] = []
  const place = (word: string, stem: string, isPrefix: boolean): number => {
    const known = terms.findIndex((term) => term.stem === stem && term.isPrefix === isPrefix)
    if (known >= 0) return known
    return terms.length < MAX_TERMS ? terms.push({ word, stem, isPrefix }) - 1 : -1
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
  return { terms, phrases }
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
