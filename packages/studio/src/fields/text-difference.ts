import { compareTexts } from '@quire/merge/compare-texts'

/** Replaces the characters between `from` and `to`. */
export interface TextDifference {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/**
 * The replaced ranges of the old text, in their order, so that the cursor and held positions stay in
 * the rest. Empty for equal texts.
 */
export function textDifferences(old: string, text: string): readonly TextDifference[] {
  const whole = trimmed({ from: 0, to: old.length, insert: text }, old)
  const ranges: TextDifference[] = []
  let [at, from, insert] = [whole.from, whole.from, '']
  const flush = (): void => {
    if (at > from || insert !== '') ranges.push(trimmed({ from, to: at, insert }, old))
  }
  for (const { op, text: run } of compareTexts(old.slice(whole.from, whole.to), whole.insert)) {
    if (op === 'added') insert += run
    else if (op === 'removed') at += run.length
    else {
      flush()
      at += run.length
      ;[from, insert] = [at, '']
    }
  }
  flush()
  return ranges
}

/** Without the characters that both texts have at the start or at the end of the range. */
function trimmed({ from, to, insert }: TextDifference, old: string): TextDifference {
  const shorter = Math.min(to - from, insert.length)
  let start = 0
  while (start < shorter && old[from + start] === insert[start]) start += 1
  let tail = 0
  while (tail < shorter - start && old[to - 1 - tail] === insert.at(-1 - tail)) tail += 1
  return { from: from + start, to: to - tail, insert: insert.slice(start, insert.length - tail) }
}

/** The offset in the new text. `side` is its side of text that is inserted exactly there. */
export function mapOffset(
  offset: number,
  ranges: readonly TextDifference[],
  side: 'before' | 'after' = 'before',
): number {
  let shift = 0
  for (const { from, to, insert } of ranges) {
    if (offset < from || (offset === from && side === 'before')) break
    if (offset < to) return shift + Math.min(offset, from + insert.length)
    shift += insert.length - (to - from)
  }
  return offset + shift
}
