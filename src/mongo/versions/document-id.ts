import { digestNumber } from '@quire/schema/derived-id'
import { customAlphabet } from 'nanoid'
import { isEntryId } from '../../schema/values/entry-links.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { idOfText } from './adopted-rows.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const firstLetter = customAlphabet(LETTERS, 1)
const rest = customAlphabet(`${LETTERS}0123456789`, 23)

/** Returns 24 lower-case letters and digits, starting with a letter: about 123 random bits. */
export function newDocumentId(): string {
  return firstLetter() + rest()
}

/** Derives the documentId of an imported document from a key such as `country:FRA`, including its first letter. */
export function documentIdFor(key: string): string {
  const digest = digestNumber(key)
  const size = BigInt(LETTERS.length)
  const letter = LETTERS.charAt(Number(digest % size))
  return letter + (digest / size).toString(36).padStart(23, '0').slice(-23)
}

/** Longer texts are no key that an index could hold. */
const MAX_ADOPTED_ID = 1_024

/** Whether an entry of the type can have this documentId. */
export function isIdOf({ adopted }: Pick<ContentTypePlan, 'adopted'>, text: string): boolean {
  if (adopted === undefined) return isDocumentId(text)
  if (text.length > MAX_ADOPTED_ID || text.includes('\0')) return false
  return idOfText(adopted.idKind, text) !== undefined
}

export function isDocumentId(text: string): boolean {
  return isEntryId(text)
}
