import { editDistance } from '../../base/near-miss.ts'

const HAS_DIGIT = /\p{N}/u

/** The number of wrong letters that are corrected. Numbers and short words are often right. */
export function correctedEdits(word: string): number {
  if (HAS_DIGIT.test(word) || word.length < 5) return 0
  return word.length < 9 ? 1 : 2
}

/** The number of letters in which two words differ. Null if it is more than the number that is corrected. */
export function nearDistance(word: string, other: string): number | null {
  const most = correctedEdits(word)
  if (Math.abs(word.length - other.length) > most || HAS_DIGIT.test(other)) return null
  const distance = editDistance(word, other)
  return distance <= most ? distance : null
}
