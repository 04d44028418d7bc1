import { toDocument } from '../bson/values.ts'
import { toCountValue } from '../pipeline/group.ts'
import type { Command } from '../request/request.ts'

export const dbStats: Command = {
  options: ['scale', 'freeStorage'],
  access: 'read',
  run: ({ engine, database }) => {
    const collections = [...engine.data.collections.values()].filter(
      (collection) => collection.exists && collection.database === database,
    )
    const total = (of: (collection: (typeof collections)[number]) => number): number =>
      collections.reduce((sum, collection) => sum + of(collection), 0)
    return toDocument({
      db: database,
      collections: collections.length,
      objects: toCountValue(total(({ count }) => count)),
      indexes: total(({ indexes }) => indexes.length),
      ok: 1,
    })
  },
}
