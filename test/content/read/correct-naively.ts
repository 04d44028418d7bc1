import type { Analyzer } from '../../../src/query/text/analyze-text.ts'
import type { Page } from './search-naively.ts'

type Name = 'title' | 'body'

/** The words of an attribute that are indexed. */
function indexedTokens(analyzer: Analyzer, page: Page, name: Name) {
  const tokens = analyzer.tokens(page[name].join(' '))
  return tokens.length > 32 ? tokens.filter(({ isStopWord }) => !isStopWord) : tokens
}

interface Scan {
  readonly analyzer: Analyzer
  readonly pages: readonly Page[]
  readonly names: readonly Name[]
}

/** The corrections of the words that no page has, before a filter decides which pages are visible. */
export function correctNaively(scan: Scan, text: string): ReadonlyMap<string, string> {
  const { analyzer, pages } = scan
  const corrections = new Map<string, string>()
  const tokens = analyzer.tokens(text)
  for (const [place, { word, stem }] of tokens.entries()) {
    const isOpen = place === tokens.length - 1 && !text.endsWith(' ')
    const isMatched = pages.some((page) =>
      tokensOf(scan, page).some(
        (one) => one.stem === stem || (isOpen && one.word.startsWith(word)),
      ),
    )
    const best = isMatched ? undefined : nearestWord(scan, word)
    if (best !== undefined) corrections.set(word, best)
  }
  return corrections
}

function tokensOf({ analyzer, names }: Scan, page: Page) {
  return names.flatMap((name) => indexedTokens(analyzer, page, name))
}

function nearestWord(scan: Scan, word: string): string | undefined {
  const edits = editsOf(word)
  const words = scan.pages.flatMap((page) => {
    const found = tokensOf(scan, page).filter((one) => !one.isStopWord && !/\p{N}/u.test(one.word))
    return [...new Set(found.map((token) => token.word))]
  })
  const near = words.filter((one) => distance(word, one) <= edits)
  const countOf = (wanted: string): number => near.filter((one) => one === wanted).length
  return near.toSorted((one, other) => {
    const difference = distance(word, one) - distance(word, other)
    return difference || countOf(other) - countOf(one) || (one < other ? -1 : 1)
  })[0]
}

function editsOf(word: string): number {
  if (word.length < 5 || /\p{N}/u.test(word)) return 0
  return word.length < 9 ? 1 : 2
}

/** By its definition: inserted, removed, replaced and swapped letters at the end of both words. */
function distance(one: string, other: string): number {
  const known = new Map<string, number>()
  const at = (left: number, right: number): number => {
    if (left === 0 || right === 0) return left + right
    const key = `${left},${right}`
    const found = known.get(key)
    if (found !== undefined) return found
    const [a, b] = [one[left - 1], other[right - 1]]
    const isSwapped = left > 1 && right > 1 && a === other[right - 2] && b === one[left - 2]
    const least = Math.min(
      at(left - 1, right) + 1,
      at(left, right - 1) + 1,
      at(left - 1, right - 1) + (a === b ? 0 : 1),
      isSwapped ? at(left - 2, right - 2) + 1 : Infinity,
    )
    known.set(key, least)
    return least
  }
  return at(one.length, other.length)
}
