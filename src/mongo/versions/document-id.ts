import { createHash } from 'node:crypto'
import { customAlphabet } from 'nanoid'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const firstLetter = customAlphabet(LETTERS, 1)
const rest = customAlphabet(`${LETTERS}0123456789`, 23)

/** 24 lower-case letters and digits, the first a letter: about 123 random bits. */
export function newDocumentId(): string {
  return firstLetter() + rest()
}

/**
 * A documentId that follows from a key: the same in every process, so that two that create a document at once write the
 * same one. Its first letter names the kind of document.
 */
export function documentIdFrom(letter: string, key: string): string {
  return letter + digestOf(key).toString(36).padStart(23, '0').slice(0, 23)
}

/**
 * The documentId of an imported document, from a key such as `country:FRA`. Its letter follows from the key as well, as in
 * the databases that hold such documents.
 */
export function documentIdFor(key: string): string {
  const digest = digestOf(key)
  const size = BigInt(LETTERS.length)
  const letter = LETTERS.charAt(Number(digest % size))
  return letter + (digest / size).toString(36).padStart(23, '0').slice(-23)
}

function digestOf(key: string): bigint {
  return BigInt(`0x${createHash('sha256').update(key).digest('hex')}`)
}

/** Whether a text can be a documentId at all. */
export function isDocumentId(text: string): boolean {
  return /^[a-z][a-z0-9]{23}$/.test(text)
}
