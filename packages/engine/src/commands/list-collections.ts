import { documentOf, newDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { parseFilter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import { cursorOptions } from '../request/read-request.ts'
import { isSet, optionalCount, optionalDocument } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { idIndexSpec } from '../storage/collection.ts'
import type { Collection } from '../storage/collection.ts'

function describe({ name, options }: Collection, nameOnly: boolean): Document {
  return nameOnly
    ? documentOf({ name, type: 'collection' })
    : documentOf({
        name,
        type: 'collection',
        options,
        info: documentOf({ readOnly: false }),
        idIndex: idIndexSpec(),
      })
}

export const listCollections: Command = {
  options: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  access: 'read',
  run: (request) => {
    const { engine, database, body } = request
    const matches = compileFilter(parseFilter(optionalDocument(body, 'filter') ?? newDocument()))
    const found = [...engine.data.collections.values()]
      .filter((collection) => collection.exists && collection.database === database)
      .map((collection) => describe(collection, isSet(body, 'nameOnly')))
      .filter((description) => matches(description))
    const batchSize = optionalCount(optionalDocument(body, 'cursor') ?? newDocument(), 'batchSize')
    return engine.cursors.open(
      found,
      cursorOptions(request, `${database}.$cmd.listCollections`, batchSize),
    )
  },
}
