/** Texts with more changed words count as one change, because the comparison takes quadratic time. */
const MAX_CELLS = 1_000_000

/** Replaces the words from `start` to `end` of the base. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly words: readonly string[]
}

/** Joins the edits of both sides. Null if they touch each other. */
export function mergeText(base: string, mine: string, theirs: string): string | null {
  const words = wordsOf(base)
  const ours = editsBetween(words, wordsOf(mine))
  const others = editsBetween(words, wordsOf(theirs))
  const added = others.filter((edit) => !ours.some((own) => isSameEdit(own, edit)))
  if (added.some((edit) => ours.some((own) => isTouching(own, edit)))) return null
  const all = [...ours, ...added].sort((one, other) => one.start - other.start)
  return applyEdits(words, all)
}

/** Words, single punctuation characters, and the space between them. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu) ?? []
}

function isSameEdit(one: TextEdit, other: TextEdit): boolean {
  return (
    one.start === other.start &&
    one.end === other.end &&
    one.words.length === other.words.length &&
    one.words.every((word, index) => word === other.words[index])
  )
}

function isTouching(one: TextEdit, other: TextEdit): boolean {
  return one.start <= other.end && other.start <= one.end
}

function applyEdits(words: readonly string[], edits: readonly TextEdit[]): string {
  let text = ''
  let at = 0
  for (const edit of edits) {
    text += words.slice(at, edit.start).join('') + edit.words.join('')
    at = edit.end
  }
  return text + words.slice(at).join('')
}

export function editsBetween(
  before: readonly string[],
  after: readonly string[],
): readonly TextEdit[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let same = 0
  while (
    same < shorter - start &&
    before[before.length - 1 - same] === after[after.length - 1 - same]
  ) {
    same += 1
  }
  const removed = before.slice(start, before.length - same)
  const added = after.slice(start, after.length - same)
  const whole = { start, end: start + removed.length, words: added }
  if (removed.length * added.length > MAX_CELLS) return [whole]
  return alignedEdits(removed, added, start)
}

/** By the longest common subsequence. */
function alignedEdits(
  before: readonly string[],
  after: readonly string[],
  offset: number,
): readonly TextEdit[] {
  const width = after.length + 1
  const lengths = commonLengths(before, after)
  const edits: TextEdit[] = []
  let [row, column, start, from] = [0, 0, 0, 0]
  const flush = (): void => {
    if (row === start && column === from) return
    edits.push({ start: offset + start, end: offset + row, words: after.slice(from, column) })
  }
  while (row < before.length && column < after.length) {
    if (before[row] === after[column]) {
      flush()
      row += 1
      column += 1
      ;[start, from] = [row, column]
    } else if (
      lengthAt(lengths, (row + 1) * width + column) >= lengthAt(lengths, row * width + column + 1)
    ) {
      row += 1
    } else {
      column += 1
    }
  }
  ;[row, column] = [before.length, after.length]
  flush()
  return edits
}

/** For each row and column, the length of the longest common subsequence of the lines from there on. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const cell = row * width + column
      lengths[cell] =
        before[row] === after[column]
          ? lengthAt(lengths, cell + width + 1) + 1
          : Math.max(lengthAt(lengths, cell + width), lengthAt(lengths, cell + 1))
    }
  }
  return lengths
}

function lengthAt(lengths: Uint32Array, cell: number): number {
  return lengths[cell] ?? 0
}
