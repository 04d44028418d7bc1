import { decodeDocument } from '../bson/decode.ts'
import { toDocument, createDocument, RawDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { failedToParse } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import { compileProjection } from '../filter/projection.ts'
import { parseHint } from '../query/hint.ts'
import { runQuery } from '../query/run-query.ts'
import { parseSort } from '../filter/sort.ts'
import {
  readCollectionName,
  isSet,
  readOptionalDocument,
  refuseCollation,
  refuseOption,
  runStatement,
} from '../request/request.ts'
import type { Command, Request } from '../request/request.ts'
import { assertTargeted } from '../request/sharding.ts'
import { ensureCollection } from '../storage/database.ts'
import { removeRecord } from '../storage/write-unit.ts'
import { parseUpdate } from '../update/parse-update.ts'
import { updateRecords } from '../update/update-records.ts'

interface Found {
  readonly bytes: Buffer | null
  readonly last: Document
}

function removeOne(request: Request, filter: Document, sort: Document): Found {
  const { data } = request.engine
  const collection = ensureCollection(data, request.database, readCollectionName(request))
  const parsed = parseFilter(filter)
  assertTargeted(collection, { kind: 'findAndModify', filter: parsed, upsert: false })
  return runStatement(request, (unit) => {
    const query = {
      filter: parsed,
      sort: parseSort(sort),
      skip: 0,
      limit: 1,
      hint: parseHint(request.body['hint']),
    }
    const [record] = runQuery({ data, view: unit, collection }, query)
    if (record) removeRecord(data, unit, collection, record)
    return { bytes: record?.bytes ?? null, last: toDocument({ n: record ? 1 : 0 }) }
  })
}

function updateOne(request: Request, filter: Document, sort: Document): Found {
  const { data } = request.engine
  const { body } = request
  const collection = ensureCollection(data, request.database, readCollectionName(request))
  const update = parseUpdate(body['update'], body['arrayFilters'])
  const upsert = isSet(body, 'upsert')
  assertTargeted(collection, { kind: 'findAndModify', filter: parseFilter(filter), upsert })
  const result = runStatement(request, (unit) =>
    updateRecords(
      { data, unit, collection },
      {
        filter,
        update,
        multi: false,
        upsert,
        hint: parseHint(body['hint']),
        sort: parseSort(sort),
      },
    ),
  )
  const isUpsert = result.upsertedId !== undefined
  const last = toDocument({
    n: isUpsert ? 1 : result.matched,
    updatedExisting: result.matched > 0,
    ...(isUpsert && { upserted: result.upsertedId }),
  })
  return { bytes: isSet(body, 'new') ? result.after : result.before, last }
}

function check(body: Document): void {
  refuseCollation(body)
  refuseOption(body, 'let')
  const isRemove = isSet(body, 'remove')
  if (isRemove === (body['update'] !== undefined))
    throw failedToParse('Either an update or remove=true must be specified, and not both')
  if (isRemove && isSet(body, 'upsert'))
    throw failedToParse('Cannot specify both upsert=true and remove=true')
  if (isRemove && isSet(body, 'new'))
    throw failedToParse(
      "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
    )
}

function shape(bytes: Buffer | null, fields: Document | null): Value {
  if (!bytes) return null
  if (!fields || Object.keys(fields).length === 0) return new RawDocument(bytes)
  return compileProjection(fields, true)(decodeDocument(bytes), new Map())
}

export const findAndModify: Command = {
  options: [
    'query',
    'sort',
    'remove',
    'update',
    'new',
    'fields',
    'upsert',
    'arrayFilters',
    'bypassDocumentValidation',
    'hint',
    'collation',
    'let',
  ],
  access: 'write',
  inTransaction: true,
  run: (request) => {
    const { body } = request
    check(body)
    const filter = readOptionalDocument(body, 'query') ?? createDocument()
    const sort = readOptionalDocument(body, 'sort') ?? createDocument()
    const { bytes, last } = isSet(body, 'remove')
      ? removeOne(request, filter, sort)
      : updateOne(request, filter, sort)
    return toDocument({
      lastErrorObject: last,
      value: shape(bytes, readOptionalDocument(body, 'fields')),
      ok: 1,
    })
  },
}
