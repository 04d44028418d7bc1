import { documentOf } from '../bson/values.ts'
import { countValue } from '../pipeline/group.ts'
import { collectionName } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { findCollection } from '../storage/database.ts'

export const collStats: Command = {
  options: ['scale'],
  access: 'read',
  run: (request) => {
    const name = collectionName(request)
    const collection = findCollection(request.engine.data, request.database, name)
    return documentOf({
      ns: `${request.database}.${name}`,
      count: countValue(collection?.count ?? 0),
      nindexes: collection?.indexes.length ?? 0,
      sharded: (collection?.shardKey ?? null) !== null,
      ok: 1,
    })
  },
}
