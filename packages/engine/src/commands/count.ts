import { documentOf } from '../bson/values.ts'
import { countValue } from '../pipeline/group.ts'
import { countRecords } from '../query/count-records.ts'
import { openSource, readQuery } from '../request/read-request.ts'
import { collectionName, refuseCollation } from '../request/request.ts'
import type { Command } from '../request/request.ts'

export const count: Command = {
  options: ['query', 'limit', 'skip', 'hint', 'collation', 'fields'],
  access: 'read',
  run: (request) => {
    refuseCollation(request.body)
    const query = readQuery(request.body, 'query')
    const source = openSource(request, collectionName(request))
    const n = source ? countRecords(source, query) : 0
    return documentOf({ n: countValue(n), ok: 1 })
  },
}
