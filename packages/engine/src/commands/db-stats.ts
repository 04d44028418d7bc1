import { documentOf } from '../bson/values.ts'
import { countValue } from '../pipeline/group.ts'
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
    return documentOf({
      db: database,
      collections: collections.length,
      objects: countValue(total(({ count }) => count)),
      indexes: total(({ indexes }) => indexes.length),
      ok: 1,
    })
  },
}
