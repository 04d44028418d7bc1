import { once } from '../../base/once.ts'

/** Letters, digits and their marks, with connector punctuation and zero-width (non-)joiners. */
const WORD = String.raw`[\p{L}\p{M}\p{N}\p{Pc}\u200C\u200D]+`
/** Flags and emoji sequences with modifiers and joiners. Splitting them would change their meaning. */
const FLAG = String.raw`\p{RI}\p{RI}`
const ONE_SIGN = String.raw`\p{Extended_Pictographic}[\p{EMod}\uFE0F\u20E3\u{E0020}-\u{E007F}]*`
const SIGNS = `${FLAG}|${ONE_SIGN}(?:\\u200D${ONE_SIGN})*`
const OTHER = String.raw`\P{M}\p{M}*|\p{M}+`

const PARTS = new RegExp(String.raw`\r?\n|[^\S\n]+|${SIGNS}|${WORD}|${OTHER}`, 'gu')

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** V8 segments in quadratic time: 20 s for 100,000 letters (2026). Longer runs are rare. */
const MAX_SEGMENT_CHARACTERS = 200

const LETTERS = new RegExp(OTHER, 'gu')

/** Its data takes up to a tenth of a second to load, which a start saves. */
const segmenter = once(() => new Intl.Segmenter('und', { granularity: 'word' }))

/** Supports any script. The concatenated parts are the text. */
export function wordsOf(text: string): string[] {
  return (text.match(PARTS) ?? []).flatMap((part) =>
    UNSPACED.test(part) ? wordsWithin(part) : part,
  )
}

function wordsWithin(run: string): string[] {
  if (run.length > MAX_SEGMENT_CHARACTERS) return run.match(LETTERS) ?? []
  return Array.from(segmenter().segment(run), ({ segment }) => segment)
}

export function sharedEnds(
  one: string,
  other: string,
): { readonly before: number; readonly after: number } {
  const before = shared({
    most: Math.min(one.length, other.length),
    isSame: (count) => one[count] === other[count],
    isPlace: (count) => isBetween(one, count) && isBetween(other, count),
  })
  const after = shared({
    most: Math.min(one.length, other.length) - before,
    isSame: (count) => one.at(-1 - count) === other.at(-1 - count),
    isPlace: (count) => endsAt(one, count) && endsAt(other, count),
  })
  return { before, after }
}

interface Sharing {
  readonly most: number
  readonly isSame: (count: number) => boolean
  readonly isPlace: (count: number) => boolean
}

function shared({ most, isSame, isPlace }: Sharing): number {
  let count = 0
  while (count < most && isSame(count)) count += 1
  while (count > 0 && !isPlace(count)) count -= 1
  return count
}

function endsAt(text: string, after: number): boolean {
  return isBetween(text, text.length - after)
}

function isBetween(text: string, place: number): boolean {
  return (
    /[\s,.;:!?。、，；：！？]/u.test(text[place - 1] ?? ' ') && !/\p{M}/u.test(text[place] ?? '')
  )
}
