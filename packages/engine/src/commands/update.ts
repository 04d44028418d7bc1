import { toDocument, isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError, failedToParse } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import { parseHint } from '../query/hint.ts'
import {
  readCollectionName,
  isSet,
  refuseCollation,
  refuseOption,
  runStatement,
  readStatements,
} from '../request/request.ts'
import type { Command, Request } from '../request/request.ts'
import { assertTargeted } from '../request/sharding.ts'
import { runOrdered } from '../request/write-errors.ts'
import type { Collection } from '../storage/collection.ts'
import { ensureCollection } from '../storage/database.ts'
import { parseUpdate } from '../update/parse-update.ts'
import { updateRecords } from '../update/update-records.ts'
import type { UpdateResult } from '../update/update-records.ts'

const MEMBERS: ReadonlySet<string> = new Set([
  'q',
  'u',
  'multi',
  'upsert',
  'arrayFilters',
  'hint',
  'collation',
  'c',
])

function checkStatement(statement: Document): void {
  const unknown = Object.keys(statement).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined)
    throw new CommandError(
      'Location40415',
      `BSON field 'update.updates.${unknown}' is an unknown field.`,
    )
  refuseCollation(statement)
  refuseOption(statement, 'c')
}

export function runUpdate(
  request: Request,
  collection: Collection,
  statement: Document,
): UpdateResult {
  checkStatement(statement)
  const { q: filter, u: update } = statement
  if (!isDocument(filter)) throw failedToParse("BSON field 'update.updates.q' must be an object")
  const multi = isSet(statement, 'multi')
  const parsed = parseUpdate(update, statement['arrayFilters'])
  if (multi && parsed.kind === 'replacement')
    throw failedToParse('multi update is not supported for replacement-style update')
  const upsert = isSet(statement, 'upsert')
  if (!multi) assertTargeted(collection, { kind: 'update', filter: parseFilter(filter), upsert })
  return runStatement(request, (unit) =>
    updateRecords(
      { data: request.engine.data, unit, collection },
      { filter, update: parsed, multi, upsert, hint: parseHint(statement['hint']) },
    ),
  )
}

export const update: Command = {
  options: ['updates', 'ordered', 'bypassDocumentValidation', 'let'],
  access: 'write',
  inTransaction: true,
  run: (request) => {
    refuseOption(request.body, 'let')
    const upserted: Document[] = []
    let matched = 0
    let modified = 0
    const statements = readStatements(request, 'updates')
    const name = readCollectionName(request)
    const errors = runOrdered(request, statements, (statement, index) => {
      const collection = ensureCollection(request.engine.data, request.database, name)
      const result = runUpdate(request, collection, statement)
      matched += result.upsertedId === undefined ? result.matched : 1
      modified += result.modified
      if (result.upsertedId !== undefined)
        upserted.push(toDocument({ index, _id: result.upsertedId }))
    })
    const list: { upserted?: Value } = upserted.length > 0 ? { upserted } : {}
    return toDocument({ n: matched, nModified: modified, ...list, ...errors, ok: 1 })
  },
}
