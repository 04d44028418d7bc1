import { customAlphabet } from 'nanoid'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const firstLetter = customAlphabet(LETTERS, 1)
const rest = customAlphabet(`${LETTERS}0123456789`, 23)

/** As of content: 24 lower-case letters and digits, the first a letter. */
export function newDocumentId(): string {
  return firstLetter() + rest()
}
