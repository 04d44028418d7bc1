import { Long } from 'bson'
import { iterateElements } from '../bson/decode.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument, toDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, CommandError, failedToParse } from '../errors.ts'
import { isSet, readStatements, refuseOption } from '../request/request.ts'
import type { Command, Request } from '../request/request.ts'
import { runOrdered } from '../request/write-errors.ts'
import { ensureCollection } from '../storage/database.ts'
import type { Collection } from '../storage/collection.ts'
import { readArrayElements, runInsert } from './insert.ts'
import { runUpdate } from './update.ts'

const INSERT: ReadonlySet<string> = new Set(['insert', 'document'])
const UPDATE: ReadonlySet<string> = new Set([
  'update', 'filter', 'updateMods', 'multi', 'upsert', 'arrayFilters', 'hint', 'collation',
]) // prettier-ignore

interface Operation {
  readonly kind: 'insert' | 'update'
  readonly body: Document
  readonly bytes: Buffer
  readonly namespace: string
}

function operationsOf(request: Request): readonly Operation[] {
  const { message } = request
  const bodies = readStatements(request, 'ops')
  const bytes = message.sequences.get('ops') ?? readArrayElements(message.bodyBytes, 'ops') ?? []
  const namespaces = readStatements(request, 'nsInfo').map(({ ns }) => ns)
  return bodies.map((body, index) => {
    const [kind = ''] = Object.keys(body)
    if (kind !== 'insert' && kind !== 'update') {
      throw failedToParse(`'bulkWrite.ops.${kind}' is not supported by the embedded engine`)
    }
    const members = kind === 'insert' ? INSERT : UPDATE
    const unknown = Object.keys(body).find((member) => !members.has(member))
    if (unknown !== undefined) throw unknownField(`ops.${unknown}`)
    const namespace = namespaces[placeOf(body[kind])]
    if (typeof namespace !== 'string')
      throw badValue(`BSON field 'bulkWrite.ops.${kind}' is out of range`)
    return { kind, body, bytes: bytes[index] ?? Buffer.alloc(0), namespace }
  })
}

function placeOf(value: Value): number {
  return isNumber(value) ? toDouble(value) : -1
}

function unknownField(name: string): CommandError {
  return new CommandError('Location40415', `BSON field 'bulkWrite.${name}' is an unknown field.`)
}

function collectionOf({ engine }: Request, namespace: string): Collection {
  const dot = namespace.indexOf('.')
  if (dot <= 0 || dot === namespace.length - 1) {
    throw new CommandError('InvalidNamespace', `Invalid namespace specified '${namespace}'`)
  }
  return ensureCollection(engine.data, namespace.slice(0, dot), namespace.slice(dot + 1))
}

interface Counts {
  nInserted: number
  nMatched: number
  nModified: number
  nUpserted: number
}

function run(
  request: Request,
  { kind, body, bytes, namespace }: Operation,
  counts: Counts,
): Document {
  const collection = collectionOf(request, namespace)
  if (kind === 'insert') {
    const { document: decoded } = body
    if (!isDocument(decoded))
      throw badValue("BSON field 'bulkWrite.ops.document' must be an object")
    runInsert(request, collection, { raw: memberOf(bytes, 'document'), decoded })
    counts.nInserted++
    return toDocument({ ok: 1, n: 1 })
  }
  const { update: _place, filter: q, updateMods: u, ...options } = body
  const result = runUpdate(request, collection, toDocument({ q, u, ...options }))
  const upserted = result.upsertedId
  counts.nModified += result.modified
  if (upserted === undefined) counts.nMatched += result.matched
  else counts.nUpserted++
  const n = upserted === undefined ? result.matched : 1
  return toDocument({
    ok: 1,
    n,
    nModified: result.modified,
    ...(upserted !== undefined && { upserted: toDocument({ _id: upserted }) }),
  })
}

function memberOf(bytes: Buffer, wanted: string): Buffer {
  let found: Buffer = Buffer.alloc(0)
  for (const { name, valueAt, end } of iterateElements(bytes)) {
    if (name === wanted) found = bytes.subarray(valueAt, end)
  }
  return found // the last one, as in `decodeDocument`
}

/**
 * Writes to several collections with one command, as MongoDB 8 does. Deletes are not supported. All results are in the
 * first batch. https://www.mongodb.com/docs/manual/reference/command/bulkWrite/
 */
export const bulkWrite: Command = {
  options: ['ops', 'nsInfo', 'ordered', 'errorsOnly', 'cursor', 'bypassDocumentValidation', 'let'],
  access: 'write',
  inTransaction: true,
  run: (request) => {
    const { body, database } = request
    if (database !== 'admin') {
      throw new CommandError(
        'Unauthorized',
        'bulkWrite may only be run against the admin database.',
      )
    }
    refuseOption(body, 'let')
    const counts: Counts = { nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0 }
    const results: Document[] = []
    const { writeErrors = [] } = runOrdered(request, operationsOf(request), (operation, index) => {
      const result = run(request, operation, counts)
      if (!isSet(body, 'errorsOnly')) results.push(toDocument({ idx: index, ...result }))
    })
    const failures = writeErrors.map(({ index, ...error }) =>
      toDocument({ ok: 0, idx: index, ...error, n: 0 }),
    )
    const firstBatch = [...results, ...failures].toSorted(
      (one, other) => Number(one['idx']) - Number(other['idx']),
    )
    return toDocument({
      cursor: toDocument({ id: Long.ZERO, firstBatch, ns: 'admin.$cmd.bulkWrite' }),
      nErrors: failures.length,
      ...counts,
      nDeleted: 0,
      ok: 1,
    })
  },
}
