import { createHash } from 'node:crypto'

/** Derives a documentId from a key, so that concurrent creations in several processes write the same document. */
export function documentIdFrom(letter: string, key: string): string {
  return letter + digestNumber(key).toString(36).padStart(23, '0').slice(0, 23)
}

/** The SHA-256 of a key as a number. */
export function digestNumber(key: string): bigint {
  return BigInt(`0x${createHash('sha256').update(key).digest('hex')}`)
}
