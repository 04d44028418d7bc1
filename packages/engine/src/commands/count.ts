import { documentOf } from '../bson/values.ts'
import { countValue } from '../pipeline/group.ts'
import { runQuery } from '../query/run-query.ts'
import { openSource, readQuery } from '../request/read-request.ts'
import { collectionName, refuseCollation } from '../request/request.ts'
import type { Command } from '../request/request.ts'

export const count: Command = {
  options: ['query', 'limit', 'skip', 'hint', 'collation', 'fields'],
  access: 'read',
  run: (request) => {
    refuseCollation(request.body)
    const query = readQuery(request, request.body, 'query')
    const source = openSource(request, collectionName(request))
    // Without a condition the number is known.
    const isAll = query.filter.kind === 'all' && query.filter.of.length === 0
    if (isAll && source && query.skip === 0 && query.limit === Infinity) {
      return documentOf({ n: countValue(source.collection.count), ok: 1 })
    }
    let n = 0
    if (source) for (const record of runQuery(source, query)) n += Number(record.id > 0)
    return documentOf({ n: countValue(n), ok: 1 })
  },
}
