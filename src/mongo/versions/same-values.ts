import { BSON } from 'mongodb'
import type { Data } from '../../schema/definition.ts'

/**
 * Returns whether the stored forms are identical, including the key order of objects and the digits of decimals.
 */
export function areStoredAlike(one: Data, other: Data): boolean {
  return Buffer.compare(BSON.serialize(one), BSON.serialize(other)) === 0
}
