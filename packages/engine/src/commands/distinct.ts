import { compareValues } from '../bson/compare.ts'
import { encodeDocument } from '../bson/encode.ts'
import { MAX_DOCUMENT_BYTES } from '../update/apply-update.ts'
import { toDocument } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError, typeMismatch } from '../errors.ts'
import { toKeyText } from '../pipeline/group.ts'
import { splitPath, readValuesAtPath } from '../filter/paths.ts'
import { runQuery } from '../query/run-query.ts'
import { openSource, readQuery } from '../request/read-request.ts'
import { readCollectionName, refuseCollation } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { readRecord } from '../storage/view.ts'

export const distinct: Command = {
  options: ['key', 'query', 'hint', 'collation'],
  access: 'read',
  inTransaction: true,
  run: (request) => {
    const { key } = request.body
    if (typeof key !== 'string')
      throw typeMismatch("BSON field 'distinct.key' is the wrong type, expected type 'string'")
    refuseCollation(request.body)
    const query = readQuery(request.body, 'query')
    const source = openSource(request, readCollectionName(request))
    const found = new Map<string, Value>()
    for (const record of source ? runQuery(source, query) : []) {
      const document = source ? readRecord(source.collection, record, null) : toDocument({})
      for (const value of readValuesAtPath(document, splitPath(key)).flatMap((value) =>
        Array.isArray(value) ? value : [value],
      )) {
        if (value !== undefined && !found.has(toKeyText(value))) found.set(toKeyText(value), value)
      }
    }
    const values = [...found.values()].sort(compareValues)
    if (encodeDocument(toDocument({ values })).length > MAX_DOCUMENT_BYTES)
      throw new CommandError('Location17217', 'distinct too big, 16mb cap')
    return toDocument({ values, ok: 1 })
  },
}
