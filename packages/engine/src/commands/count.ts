import { toDocument } from '../bson/values.ts'
import { toCountValue } from '../pipeline/group.ts'
import { countRecords } from '../query/count-records.ts'
import { openSource, readQuery } from '../request/read-request.ts'
import { readCollectionName, refuseCollation } from '../request/request.ts'
import type { Command } from '../request/request.ts'

export const count: Command = {
  options: ['query', 'limit', 'skip', 'hint', 'collation', 'fields'],
  access: 'read',
  run: (request) => {
    refuseCollation(request.body)
    const query = readQuery(request.body, 'query')
    const source = openSource(request, readCollectionName(request))
    const n = source ? countRecords(source, query) : 0
    return toDocument({ n: toCountValue(n), ok: 1 })
  },
}
