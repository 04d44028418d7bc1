import { createHash } from 'node:crypto'
import type { Uid } from '../../schema/definition.ts'

/**
 * The documentId of a single type. It follows from the uid, so that two clients that create it at once
 * write the same document, and no look-up is needed to address it.
 */
export function singleDocumentId(uid: Uid): string {
  const digest = BigInt(`0x${createHash('sha256').update(uid).digest('hex')}`)
  return `s${digest.toString(36).padStart(23, '0').slice(0, 23)}`
}
