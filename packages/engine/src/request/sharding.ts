import { isDocument } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import { listConditions } from '../query/bounds.ts'
import type { Condition, Filter } from '../filter/filter.ts'
import type { Collection } from '../storage/collection.ts'

export interface SingleWrite {
  readonly kind: 'update' | 'delete' | 'findAndModify'
  readonly filter: Filter
  readonly upsert: boolean
}

function isScalarOrWhole(value: Value): boolean {
  return !Array.isArray(value)
}

// MongoDB treats `$in` with one element as an equality.
function isEquality(condition: Condition): boolean {
  return (
    (condition.kind === 'compare' &&
      condition.operator === '$eq' &&
      isScalarOrWhole(condition.operand)) ||
    (condition.kind === 'in' &&
      condition.operands.length === 1 &&
      !isDocument(condition.operands[0]))
  )
}

function refusal(message: string): CommandError {
  return new CommandError('ShardKeyNotFound', message)
}

/**
 * Refuses the same writes as mongos before 7.0, and also a range of the shard key that lies on one
 * shard. @throws CommandError ShardKeyNotFound, InvalidOptions
 */
export function assertTargeted(collection: Collection, write: SingleWrite): void {
  const { shardKey } = collection
  if (!shardKey) return
  const fixed = new Set(
    listConditions(write.filter)
      .filter((condition) => isEquality(condition))
      .map(({ path }) => path),
  )
  if (shardKey.every((path) => fixed.has(path))) return
  if (write.kind === 'findAndModify')
    throw refusal('Query for sharded findAndModify must contain the shard key')
  if (write.upsert)
    throw refusal('Failed to target upsert by query :: could not extract exact shard key')
  if (fixed.has('_id')) return
  if (write.kind === 'delete')
    throw refusal(
      'A single delete on a sharded collection must contain an exact match on _id (and have the collection default collation) or contain the shard key (and have the simple collation).',
    )
  throw new CommandError(
    'InvalidOptions',
    'A {multi:false} update on a sharded collection must contain an exact match on _id (and have the collection default collation) or must target a single shard (and have the simple collation).',
  )
}
