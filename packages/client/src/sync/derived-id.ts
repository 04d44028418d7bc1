import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'

/** The documentId of a creation. The server derives the same one. */
export function createdDocumentId(user: string, client: string, n: number): string {
  return derivedId('p', `push:${user}:${client}:${n}`)
}

/** The server derives the same one from the `Idempotency-Key` of the upload. */
export function fileDocumentId(user: string, key: string): string {
  return derivedId('f', `file:user:${user}:${key}`)
}

export function singleDocumentId(type: string): string {
  return derivedId('s', `api::${type}.${type}`)
}

function derivedId(letter: string, key: string): string {
  const digits = BigInt(`0x${sha256Hex(key)}`).toString(36)
  return letter + digits.padStart(23, '0').slice(0, 23)
}

export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)))
}

const CLIENT_LENGTH = 20
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** React Native has no `crypto`. The id needs to be unique for its user only, and is no secret. */
export function randomClientId(): string {
  const { crypto } = globalThis as { readonly crypto?: Crypto }
  const numbers =
    crypto === undefined
      ? Array.from({ length: CLIENT_LENGTH }, () => Math.floor(Math.random() * 256))
      : [...crypto.getRandomValues(new Uint8Array(CLIENT_LENGTH))]
  return numbers.map((number) => LETTERS[number % LETTERS.length]).join('')
}
