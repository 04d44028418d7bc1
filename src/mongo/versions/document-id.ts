import { createHash } from 'node:crypto'
import { customAlphabet } from 'nanoid'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const firstLetter = customAlphabet(LETTERS, 1)
const rest = customAlphabet(`${LETTERS}0123456789`, 23)

/** Returns 24 lower-case letters and digits, starting with a letter: about 123 random bits. */
export function newDocumentId(): string {
  return firstLetter() + rest()
}

/** Derives a documentId from a key, so that concurrent creations in several processes write the same document. */
export function documentIdFrom(letter: string, key: string): string {
  return letter + digestOf(key).toString(36).padStart(23, '0').slice(0, 23)
}

/** Derives the documentId of an imported document from a key such as `country:FRA`, including its first letter. */
export function documentIdFor(key: string): string {
  const digest = digestOf(key)
  const size = BigInt(LETTERS.length)
  const letter = LETTERS.charAt(Number(digest % size))
  return letter + (digest / size).toString(36).padStart(23, '0').slice(-23)
}

function digestOf(key: string): bigint {
  return BigInt(`0x${createHash('sha256').update(key).digest('hex')}`)
}

export function isDocumentId(text: string): boolean {
  return /^[a-z][a-z0-9]{23}$/.test(text)
}
