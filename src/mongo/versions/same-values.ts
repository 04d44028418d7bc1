import { BSON } from 'mongodb'
import type { Data } from '../../schema/definition.ts'

/** Compares the stored forms, including the key order of objects and the digits of decimals. */
export function areStoredAlike(one: Data, other: Data): boolean {
  return Buffer.compare(BSON.serialize(one), BSON.serialize(other)) === 0
}
