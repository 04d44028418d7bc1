import { customAlphabet } from 'nanoid'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const firstLetter = customAlphabet(LETTERS, 1)
const rest = customAlphabet(`${LETTERS}0123456789`, 23)

/** 24 lower-case letters and digits, the first a letter: about 123 random bits. */
export function newDocumentId(): string {
  return firstLetter() + rest()
}

/** Whether a text can be a documentId at all. */
export function isDocumentId(text: string): boolean {
  return /^[a-z][a-z0-9]{23}$/.test(text)
}
