import { toDocument } from '../bson/values.ts'
import { toCountValue } from '../pipeline/group.ts'
import { readCollectionName } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { findCollection } from '../storage/database.ts'

export const collStats: Command = {
  options: ['scale'],
  access: 'read',
  run: (request) => {
    const name = readCollectionName(request)
    const collection = findCollection(request.engine.data, request.database, name)
    return toDocument({
      ns: `${request.database}.${name}`,
      count: toCountValue(collection?.count ?? 0),
      nindexes: collection?.indexes.length ?? 0,
      sharded: (collection?.shardKey ?? null) !== null,
      ok: 1,
    })
  },
}
