import { createDocument } from '../bson/values.ts'
import { makeCursorOptions } from '../request/read-request.ts'
import { readCollectionName, readOptionalCount, readOptionalDocument } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { assertCollection } from '../storage/database.ts'

export const listIndexes: Command = {
  options: ['cursor'],
  access: 'read',
  run: (request) => {
    const { engine, database, body } = request
    const collection = assertCollection(engine.data, database, readCollectionName(request))
    const batchSize = readOptionalCount(
      readOptionalDocument(body, 'cursor') ?? createDocument(),
      'batchSize',
    )
    return engine.cursors.open(
      collection.indexes.map(({ spec }) => spec),
      makeCursorOptions(request, collection.namespace, batchSize),
    )
  },
}
