import { createHash } from 'node:crypto'
import { splitName } from './stored-names.ts'

/**
 * The stored name of a file in the trash. It has the form of a private name, and no record contains it, so that its
 * address is never signed and never served. Deterministic, so that an interrupted move can be repeated.
 */
export function trashedName(name: string, deletion: string): string {
  const digest = createHash('sha256').update(`${deletion} ${name}`).digest('hex').slice(0, 32)
  return `trash_private_${digest}${splitName(name).ext}`
}
