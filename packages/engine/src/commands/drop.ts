import { toDocument } from '../bson/values.ts'
import { readCollectionName } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { dropCollection, findCollection } from '../storage/database.ts'

/** Dropping a missing collection succeeds, as in MongoDB since 7.0. */
export const drop: Command = {
  options: [],
  access: 'admin',
  run: (request) => {
    const collection = findCollection(
      request.engine.data,
      request.database,
      readCollectionName(request),
    )
    if (!collection) return toDocument({ ok: 1 })
    dropCollection(request.engine.data, collection)
    return toDocument({ nIndexesWas: collection.indexes.length, ns: collection.namespace, ok: 1 })
  },
}
