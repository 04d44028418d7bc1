import { customAlphabet } from 'nanoid'
import type { Database } from '../mongo/database.ts'
import type { IdAllocator } from '../mongo/id-allocator.ts'

/** What every operation is given. The clock and the ids are arguments, so that tests can set them. */
export interface DocumentContext {
  readonly database: Database
  readonly ids: IdAllocator
  readonly now: () => Date
  readonly newDocumentId: () => string
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const firstLetter = customAlphabet(LETTERS, 1)
const rest = customAlphabet(`${LETTERS}0123456789`, 23)

/** 24 lower-case letters and digits, the first a letter: about 124 random bits. */
export function newDocumentId(): string {
  return firstLetter() + rest()
}

/** Whether a text can be a documentId at all. */
export function isDocumentId(text: string): boolean {
  return /^[a-z][a-z0-9]{23}$/.test(text)
}
