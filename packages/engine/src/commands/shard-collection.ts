import { toDocument, isDocument } from '../bson/values.ts'
import { CommandError, failedToParse } from '../errors.ts'
import type { Command } from '../request/request.ts'
import { ensureCollection } from '../storage/database.ts'

/** For tests (see `Strictness`). No data moves. */
export const shardCollection: Command = {
  options: ['key', 'unique', 'numInitialChunks'],
  access: 'admin',
  run: ({ engine, body }) => {
    if (engine.strictness.sharding !== true)
      throw new CommandError('CommandNotFound', "no such command: 'shardCollection'")
    const { shardCollection: namespace, key } = body
    const at = typeof namespace === 'string' ? namespace.indexOf('.') : -1
    if (typeof namespace !== 'string' || at <= 0)
      throw new CommandError('InvalidNamespace', 'shardCollection needs database.collection')
    if (!isDocument(key) || Object.keys(key).length === 0)
      throw failedToParse('shardCollection needs a key')
    const collection = ensureCollection(
      engine.data,
      namespace.slice(0, at),
      namespace.slice(at + 1),
    )
    collection.shardKey = Object.keys(key)
    return toDocument({ collectionsharded: namespace, ok: 1 })
  },
}
