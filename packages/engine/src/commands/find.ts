import { compileProjection } from '../filter/projection.ts'
import { runQuery } from '../query/run-query.ts'
import {
  makeCursorOptions,
  openSource,
  readQuery,
  refuseTails,
  toResults,
} from '../request/read-request.ts'
import {
  readCollectionName,
  isSet,
  readOptionalCount,
  readOptionalDocument,
  refuseCollation,
  refuseOption,
} from '../request/request.ts'
import type { Command } from '../request/request.ts'

export const find: Command = {
  options: [
    'filter', 'sort', 'projection', 'skip', 'limit', 'batchSize', 'singleBatch', 'hint', 'allowDiskUse', 'noCursorTimeout',
    'collation', 'let', 'min', 'max', 'tailable', 'awaitData', 'oplogReplay', 'returnKey', 'showRecordId', 'allowPartialResults',
  ], // prettier-ignore
  access: 'read',
  inTransaction: true,
  run: (request) => {
    const { body, engine, database } = request
    const name = readCollectionName(request)
    refuseCollation(body)
    for (const option of ['let', 'min', 'max']) refuseOption(body, option)
    refuseTails(body)
    const query = readQuery(body, 'filter')
    const projection = readOptionalDocument(body, 'projection')
    if (projection) compileProjection(projection, true)
    const source = openSource(request, name)
    const results = source ? toResults(source.collection, runQuery(source, query), projection) : []
    const options = makeCursorOptions(
      request,
      `${database}.${name}`,
      readOptionalCount(body, 'batchSize'),
      source,
    )
    return engine.cursors.open(results, { ...options, singleBatch: isSet(body, 'singleBatch') })
  },
}
