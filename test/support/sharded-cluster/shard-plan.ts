import type { Document } from 'mongodb'
import { planNameOf } from '../../../src/mongo/versions/index-names.ts'

export interface StoredCollection {
  readonly name: string
  readonly indexes: readonly { readonly name: string; readonly unique: boolean }[]
}

export interface ShardPlan {
  readonly keys: ReadonlyMap<string, Readonly<Record<string, 1>>>
  /** Content collections that stay on one shard, with the unique indexes that require it. */
  readonly kept: ReadonlyMap<string, readonly string[]>
}

/** An index that every content collection has, and no other collection. */
const CONTENT_INDEX = 'quire_document'
const OTHER_SHARD_KEYS: ReadonlyMap<string, Readonly<Record<string, 1>>> = new Map([
  ['quire_uploads.chunks', { files_id: 1, n: 1 }],
  ['quire_reservations', { _id: 1 }],
])

/**
 * Follows the table of docs/sharding.md: content is sharded by `_id`, which starts with the random
 * documentId. Reservations and file chunks are sharded, too. A cluster cannot enforce uniqueness
 * outside of the shard key, so content with unique indexes is not sharded.
 */
export function planShards(collections: readonly StoredCollection[]): ShardPlan {
  const keys = new Map<string, Readonly<Record<string, 1>>>()
  const kept = new Map<string, readonly string[]>()
  for (const { name, indexes } of collections) {
    const isContent = indexes.some((index) => planNameOf(index.name) === CONTENT_INDEX)
    const unique = indexes.filter((index) => index.unique && index.name !== '_id_')
    const other = OTHER_SHARD_KEYS.get(name)
    if (other !== undefined) keys.set(name, other)
    else if (isContent && unique.length === 0) keys.set(name, { _id: 1 })
    else if (isContent) {
      const names = unique.map((index) => index.name)
      kept.set(name, names)
    }
  }
  return { keys, kept }
}

/** Splits documentIds in half: they start with a random letter. */
const MIDDLE = { _id: 'n' }

/** The commands that shard a database and move half of its content to another shard. */
export function makeShardCommands(
  database: string,
  { keys }: ShardPlan,
  otherShard: string,
): readonly Document[] {
  const sharded = [...keys].flatMap(([name, key]): readonly Document[] => {
    const namespace = `${database}.${name}`
    const shard = { shardCollection: namespace, key }
    if (OTHER_SHARD_KEYS.has(name)) return [shard]
    return [
      shard,
      { split: namespace, middle: MIDDLE },
      { moveChunk: namespace, find: MIDDLE, to: otherShard },
    ]
  })
  // Required before MongoDB 6.0.
  return [{ enableSharding: database }, ...sharded]
}
