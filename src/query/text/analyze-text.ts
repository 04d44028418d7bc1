import { once } from '../../base/once.ts'
import { languageOf, loadLanguage } from './languages.ts'

export interface Token {
  /** Lower case, without accents. */
  readonly word: string
  readonly stem: string
  /** The number of words before this one, stop words included. */
  readonly position: number
  readonly isStopWord: boolean
}

/** A word of a text, from `start` up to `end`. Folding splits some words, so it can have several tokens. */
export interface WordSpan {
  readonly start: number
  readonly end: number
  readonly tokens: readonly Pick<Token, 'word' | 'stem'>[]
}

export interface Analyzer {
  readonly language: string
  tokens(text: string, limit?: number): readonly Token[]
  spans(text: string): Generator<WordSpan>
}

/** Changes whenever the same text gets other terms or other rows, so that all entries are indexed again. */
export const ANALYSIS_VERSION = 5

const MAX_WORD_LENGTH = 64
const MAX_TOKENS = 20_000

const WORDS = /[\p{L}\p{N}][\p{L}\p{M}\p{N}\u200C\u200D]*(?:['’][\p{L}\p{M}\p{N}]+)*/gu

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** V8 segments in quadratic time: 20 s for 100,000 letters (2026). */
const MAX_SEGMENT_CHARACTERS = 200

/** Its data takes up to a tenth of a second to load, which a start saves. */
const segmenter = once(() => new Intl.Segmenter('und', { granularity: 'word' }))

const analyzers = new Map<string, Promise<Analyzer>>()

export function analyzerFor(locale: string): Promise<Analyzer> {
  const language = languageOf(locale)
  const known = analyzers.get(language) ?? openAnalyzer(language)
  analyzers.set(language, known)
  return known
}

async function openAnalyzer(language: string): Promise<Analyzer> {
  const { stem, stopWords } = await loadLanguage(language)
  const stops = new Set(stopWords.flatMap((word) => [...segments(foldText(word))]))
  const stems = new Map<string, string>()
  const stemOf = (word: string): string => {
    const known = stems.get(word)
    if (known !== undefined) return known
    const found = HAS_DIGIT.test(word) ? word : stem(word) || word
    if (stems.size >= MAX_STEMS) stems.clear()
    stems.set(word, found)
    return found
  }
  return {
    language,
    tokens: (text, limit = MAX_TOKENS) => {
      const tokens: Token[] = []
      let position = 0
      for (const word of segments(foldText(text))) {
        if (position >= limit) break
        tokens.push({ word, stem: stemOf(word), position, isStopWord: stops.has(word) })
        position += 1
      }
      return tokens
    },
    *spans(text) {
      for (const { start, run } of runs(text)) {
        const tokens = [...segments(foldText(run))].map((word) => ({ word, stem: stemOf(word) }))
        yield { start, end: start + run.length, tokens }
      }
    },
  }
}

const HAS_DIGIT = /\p{N}/u

const MAX_STEMS = 50_000

function* segments(folded: string): Generator<string> {
  for (const { run } of runs(folded)) yield wordOf(run)
}

interface Run {
  readonly start: number
  readonly run: string
}

function* runs(text: string): Generator<Run> {
  for (const { 0: run, index: start } of text.matchAll(WORDS)) {
    if (UNSPACED.test(run)) yield* unspacedRuns(run, start)
    else yield { start, run }
  }
}

function* unspacedRuns(text: string, offset: number): Generator<Run> {
  for (let start = 0; start < text.length; start += MAX_SEGMENT_CHARACTERS) {
    const part = text.slice(start, start + MAX_SEGMENT_CHARACTERS)
    for (const { segment, index, isWordLike } of segmenter().segment(part)) {
      if (isWordLike === true) yield { start: offset + start + index, run: segment }
    }
  }
}

function wordOf(run: string): string {
  return run.replace(/['’]s?$|['’\u200C\u200D]/gu, '').slice(0, MAX_WORD_LENGTH)
}

/** Letters that no Unicode decomposition splits into a base letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ё: 'е',
}

const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036F]+/gu

/** Marks stay in scripts in which they make another letter, such as Cyrillic, Hindi and Japanese. */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþıё]/gu, (letter) => LETTERS[letter] ?? letter)
}
