/** Replaces the characters between `from` and `to`. */
export interface TextDifference {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** The replaced middle, so that the cursor and held positions stay in the rest; null if equal. */
export function textDifference(old: string, text: string): TextDifference | null {
  if (old === text) return null
  const shorter = Math.min(old.length, text.length)
  let from = 0
  while (from < shorter && old[from] === text[from]) from += 1
  let tail = 0
  while (tail < shorter - from && old.at(-1 - tail) === text.at(-1 - tail)) tail += 1
  return { from, to: old.length - tail, insert: text.slice(from, text.length - tail) }
}

/** The offset in the new text. An offset at an insertion stays before it. */
export function mapOffset(offset: number, { from, to, insert }: TextDifference): number {
  if (offset <= from) return offset
  const end = from + insert.length
  return offset < to ? Math.min(offset, end) : offset - to + end
}
