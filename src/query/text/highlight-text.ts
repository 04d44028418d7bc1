import type { Analyzer, WordSpan } from './analyze-text.ts'
import type { QueryTerms } from './query-terms.ts'

/** Texts without and with a match in turn. The first and the last one have no match and may be empty. */
export type Highlight = readonly string[]

/** In UTF-16 units. Matches behind it are not found, because a page has many texts. */
const MAX_SEARCHED_LENGTH = 10_000

const MAX_SHOWN_LENGTH = 200
const LENGTH_BEFORE_MATCH = 40

/** The part of a text around its first match. Null without a match. */
export function highlightText(
  text: string,
  terms: QueryTerms,
  analyzer: Analyzer,
): Highlight | null {
  const spans = [...analyzer.spans(text.slice(0, MAX_SEARCHED_LENGTH))]
  const matches = spans.filter((span) => matchesTerms(span, terms))
  const [first] = matches
  if (first === undefined) return null
  const from = first.start - LENGTH_BEFORE_MATCH
  const start = from <= 0 ? 0 : (spans.find((span) => span.start >= from)?.start ?? first.start)
  const end = endOf(text, start, spans)
  const pieces: string[] = []
  let last = start
  for (const match of matches.filter((one) => one.start < end)) {
    const until = Math.min(match.end, end)
    pieces.push(text.slice(last, match.start), text.slice(match.start, until))
    last = until
  }
  pieces.push(text.slice(last, end))
  const shown = pieces.map((piece) => piece.replace(/\s+/gu, ' '))
  return withEllipses(shown, start > 0, end < text.length)
}

function matchesTerms({ tokens }: WordSpan, { terms }: QueryTerms): boolean {
  return tokens.some(({ word, stem }) =>
    terms.some((term) => term.stem === stem || (term.isPrefix && word.startsWith(term.word))),
  )
}

/** The end of a word, unless one word is longer than the shown part. */
function endOf(text: string, start: number, spans: readonly WordSpan[]): number {
  const most = start + MAX_SHOWN_LENGTH
  if (text.length <= most) return text.length
  const last = spans.findLast(({ end }) => end <= most)
  if (last !== undefined && last.end > start) return last.end
  const splitsPair = (text.charCodeAt(most - 1) & 0xfc00) === 0xd800
  return splitsPair ? most - 1 : most
}

function withEllipses(pieces: readonly string[], isCutBefore: boolean, isCutAfter: boolean) {
  return pieces.map((piece, place) => {
    const before = isCutBefore && place === 0 ? '…' : ''
    const after = isCutAfter && place === pieces.length - 1 ? '…' : ''
    return `${before}${piece}${after}`
  })
}
