import { newDocument } from '../bson/values.ts'
import { cursorOptions } from '../request/read-request.ts'
import { collectionName, optionalCount, optionalDocument } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { assertCollection } from '../storage/database.ts'

export const listIndexes: Command = {
  options: ['cursor'],
  access: 'read',
  run: (request) => {
    const { engine, database, body } = request
    const collection = assertCollection(engine.data, database, collectionName(request))
    const batchSize = optionalCount(optionalDocument(body, 'cursor') ?? newDocument(), 'batchSize')
    return engine.cursors.open(
      collection.indexes.map(({ spec }) => spec),
      cursorOptions(request, collection.namespace, batchSize),
    )
  },
}
