import { toDocument, isDocument } from '../bson/values.ts'
import { CommandError, failedToParse } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import { parseHint } from '../query/hint.ts'
import { runQuery } from '../query/run-query.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import type { Document } from '../bson/values.ts'
import {
  readCollectionName,
  refuseCollation,
  refuseOption,
  runStatement,
  readStatements,
} from '../request/request.ts'
import type { Command, Request } from '../request/request.ts'
import { assertTargeted } from '../request/sharding.ts'
import { runOrdered } from '../request/write-errors.ts'
import { findCollection } from '../storage/database.ts'
import { removeRecord } from '../storage/write-unit.ts'

const MEMBERS: ReadonlySet<string> = new Set(['q', 'limit', 'hint', 'collation'])

function limitOf(statement: Document): number {
  const limit = isNumber(statement['limit']) ? toDouble(statement['limit']) : NaN
  if (limit !== 0 && limit !== 1)
    throw failedToParse('The limit field in delete objects must be 0 or 1')
  return limit === 1 ? 1 : Infinity
}

function runDelete(request: Request, statement: Document): number {
  const unknown = Object.keys(statement).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined)
    throw new CommandError(
      'Location40415',
      `BSON field 'delete.deletes.${unknown}' is an unknown field.`,
    )
  refuseCollation(statement)
  const { q: filter } = statement
  if (!isDocument(filter)) throw failedToParse("BSON field 'delete.deletes.q' must be an object")
  const query = {
    filter: parseFilter(filter),
    sort: [],
    skip: 0,
    limit: limitOf(statement),
    hint: parseHint(statement['hint']),
  }
  const { data } = request.engine
  const collection =
    findCollection(data, request.database, readCollectionName(request)) ??
    pendingCollection(request)
  if (!collection) return 0
  if (query.limit === 1)
    assertTargeted(collection, { kind: 'delete', filter: query.filter, upsert: false })
  return runStatement(request, (unit) => {
    const records = [...runQuery({ data, view: unit, collection }, query)]
    for (const record of records) removeRecord(data, unit, collection, record)
    return records.length
  })
}

// A transaction may delete from a collection that it has created.
function pendingCollection(request: Request) {
  return request.transaction
    ? (request.engine.data.collections.get(`${request.database}.${readCollectionName(request)}`) ??
        null)
    : null
}

export const remove: Command = {
  options: ['deletes', 'ordered', 'let'],
  access: 'write',
  inTransaction: true,
  run: (request) => {
    refuseOption(request.body, 'let')
    let removed = 0
    const errors = runOrdered(request, readStatements(request, 'deletes'), (statement) => {
      removed += runDelete(request, statement)
    })
    return toDocument({ n: removed, ...errors, ok: 1 })
  },
}
