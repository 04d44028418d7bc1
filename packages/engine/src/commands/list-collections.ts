import { toDocument, createDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { parseFilter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import { makeCursorOptions } from '../request/read-request.ts'
import { isSet, readOptionalCount, readOptionalDocument } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { makeIdIndexSpec } from '../storage/collection.ts'
import type { Collection } from '../storage/collection.ts'

function describe({ name, options }: Collection, nameOnly: boolean): Document {
  return nameOnly
    ? toDocument({ name, type: 'collection' })
    : toDocument({
        name,
        type: 'collection',
        options,
        info: toDocument({ readOnly: false }),
        idIndex: makeIdIndexSpec(),
      })
}

export const listCollections: Command = {
  options: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  access: 'read',
  run: (request) => {
    const { engine, database, body } = request
    const matches = compileFilter(
      parseFilter(readOptionalDocument(body, 'filter') ?? createDocument()),
    )
    const found = [...engine.data.collections.values()]
      .filter((collection) => collection.exists && collection.database === database)
      .map((collection) => describe(collection, isSet(body, 'nameOnly')))
      .filter((description) => matches(description))
    const batchSize = readOptionalCount(
      readOptionalDocument(body, 'cursor') ?? createDocument(),
      'batchSize',
    )
    return engine.cursors.open(
      found,
      makeCursorOptions(request, `${database}.$cmd.listCollections`, batchSize),
    )
  },
}
