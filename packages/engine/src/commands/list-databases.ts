import { Double } from 'bson'
import { toDocument, createDocument } from '../bson/values.ts'
import { parseFilter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import { isSet, readOptionalDocument } from '../request/request.ts'
import type { Command } from '../request/request.ts'

export const listDatabases: Command = {
  options: ['filter', 'nameOnly', 'authorizedDatabases'],
  access: 'read',
  run: ({ engine, body }) => {
    const matches = compileFilter(
      parseFilter(readOptionalDocument(body, 'filter') ?? createDocument()),
    )
    const existing = [...engine.data.collections.values()].filter((collection) => collection.exists)
    const names = [...new Set(existing.map(({ database }) => database))].sort()
    const databases = names
      .map((name) =>
        toDocument(
          isSet(body, 'nameOnly') ? { name } : { name, sizeOnDisk: new Double(0), empty: false },
        ),
      )
      .filter((description) => matches(description))
    return toDocument({
      databases,
      ...(!isSet(body, 'nameOnly') && { totalSize: new Double(0) }),
      ok: 1,
    })
  },
}
