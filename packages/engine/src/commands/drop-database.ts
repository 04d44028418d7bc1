import { toDocument } from '../bson/values.ts'
import type { Command } from '../request/request.ts'
import { assertUnused, dropCollection, noteRemoval } from '../storage/database.ts'

export const dropDatabase: Command = {
  options: [],
  access: 'admin',
  run: ({ engine, database }) => {
    const collections = [...engine.data.collections.values()].filter(
      (collection) => collection.database === database,
    )
    for (const collection of collections) assertUnused(engine.data, collection)
    for (const collection of collections) dropCollection(engine.data, collection)
    if (collections.length > 0)
      noteRemoval(engine.data, { kind: 'dropDatabase', database, collection: '' })
    return toDocument({ ...(collections.length > 0 && { dropped: database }), ok: 1 })
  },
}
