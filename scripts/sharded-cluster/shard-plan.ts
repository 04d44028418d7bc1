import type { Document } from 'mongodb'
import { planNameOf } from '../../src/mongo/versions/index-names.ts'

/** A collection with its indexes. */
export interface StoredCollection {
  readonly name: string
  readonly indexes: readonly { readonly name: string; readonly unique: boolean }[]
}

export interface ShardPlan {
  /** By the name of the collection. */
  readonly keys: ReadonlyMap<string, Readonly<Record<string, 1>>>
  /** Collections of content that stay on one shard, with the indexes that keep them there. */
  readonly kept: ReadonlyMap<string, readonly string[]>
}

/** Every collection of content has it, and no other. */
const CONTENT_INDEX = 'quire_document'
const OTHERS: ReadonlyMap<string, Readonly<Record<string, 1>>> = new Map([
  ['quire_uploads.chunks', { files_id: 1, n: 1 }],
  ['quire_reservations', { _id: 1 }],
])

/**
 * The table of docs/scaling.md: content by `_id`, which begins with the random documentId, reservations and the
 * bytes of files. A cluster cannot hold unique what is not the shard key: content with unique indexes stays whole.
 */
export function planShards(collections: readonly StoredCollection[]): ShardPlan {
  const keys = new Map<string, Readonly<Record<string, 1>>>()
  const kept = new Map<string, readonly string[]>()
  for (const { name, indexes } of collections) {
    const isContent = indexes.some((index) => planNameOf(index.name) === CONTENT_INDEX)
    const unique = indexes.filter((index) => index.unique && index.name !== '_id_')
    const other = OTHERS.get(name)
    if (other !== undefined) keys.set(name, other)
    else if (isContent && unique.length === 0) keys.set(name, { _id: 1 })
    else if (isContent) {
      const names = unique.map((index) => index.name)
      kept.set(name, names)
    }
  }
  return { keys, kept }
}

/** Half of all documentIds, which begin with a letter by chance, are below. */
const MIDDLE = { _id: 'n' }

/** The commands that shard a database by its plan, and put half of its content on another shard. */
export function shardCommands(
  database: string,
  { keys }: ShardPlan,
  otherShard: string,
): readonly Document[] {
  const sharded = [...keys].flatMap(([name, key]): readonly Document[] => {
    const namespace = `${database}.${name}`
    const shard = { shardCollection: namespace, key }
    if (OTHERS.has(name)) return [shard]
    return [
      shard,
      { split: namespace, middle: MIDDLE },
      { moveChunk: namespace, find: MIDDLE, to: otherShard },
    ]
  })
  // Needed before 6.0, and nothing since.
  return [{ enableSharding: database }, ...sharded]
}
