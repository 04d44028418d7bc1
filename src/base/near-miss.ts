/** Returns an empty string if no candidate is similar. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const nearest = nearestTo(word, candidates)
  return nearest === null ? '' : `; did you mean ${nearest}?`
}

/** The cost grows with the product of both lengths. */
const MAX_WORD = 100

/** The candidate differs in case only, or in fewer than a third of the letters. */
export function nearestTo(word: string, candidates: Iterable<string>): string | null {
  if (word.length > MAX_WORD) return null
  const wanted = word.toLowerCase()
  let nearest: string | null = null
  let least = Math.floor(word.length / 3) + 1
  for (const candidate of candidates) {
    // The distance is at least the difference of the lengths.
    if (Math.abs(candidate.length - word.length) >= least) continue
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance >= least) continue
    nearest = candidate
    least = distance
  }
  return nearest
}

/** Counts inserted, removed, replaced and swapped letters. */
export function editDistance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  const at = (line: number, column: number): number => rows[line]?.[column] ?? Infinity
  for (let line = 1; line <= one.length; line += 1) {
    const row = [line]
    rows.push(row)
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[line - 1] === other[column - 1]
      const isSwapped = one[line - 1] === other[column - 2] && one[line - 2] === other[column - 1]
      row[column] = Math.min(
        at(line - 1, column - 1) + (isSame ? 0 : 1),
        at(line - 1, column) + 1,
        at(line, column - 1) + 1,
        isSwapped ? at(line - 2, column - 2) + 1 : Infinity,
      )
    }
  }
  return at(one.length, other.length)
}
