import { editDistance } from '../../base/near-miss.ts'

/** Digits, and letters of two UTF-16 units, which pieces of words could split. */
const UNUSABLE = /[\p{N}\u{10000}-\u{10FFFF}]/u

/** A comparison costs the product of both lengths. */
const MAX_LETTERS = 64

const MAX_EDITS = 2

/** The number of wrong letters that are corrected. Numbers and short words are often right. */
export function correctedEdits(word: string): number {
  if (UNUSABLE.test(word) || word.length < 5 || word.length > MAX_LETTERS) return 0
  return word.length < 9 ? 1 : MAX_EDITS
}

/** Whether a correction can result in this word. */
export function isCorrection(word: string): boolean {
  return word.length >= 4 && word.length <= MAX_LETTERS + MAX_EDITS && !UNUSABLE.test(word)
}

/** The number of letters in which two words differ. Null if it is more than the number that is corrected. */
export function nearDistance(word: string, other: string): number | null {
  const most = correctedEdits(word)
  if (Math.abs(word.length - other.length) > most || !isCorrection(other)) return null
  const distance = editDistance(word, other)
  return distance <= most ? distance : null
}
