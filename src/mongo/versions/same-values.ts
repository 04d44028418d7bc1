import { BSON } from 'mongodb'
import type { Data } from '../../schema/definition.ts'

/** Whether two sets of values that were read are stored alike: to the order of an object's keys and the digits of a decimal. */
export function areStoredAlike(one: Data, other: Data): boolean {
  return Buffer.compare(BSON.serialize(one), BSON.serialize(other)) === 0
}
