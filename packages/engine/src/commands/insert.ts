import { ObjectId } from 'bson'
import { decodeDocument, iterateElements } from '../bson/decode.ts'
import { assertStorableDepth } from '../bson/depth.ts'
import { encodeDocument } from '../bson/encode.ts'
import { toDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { badValue, CommandError } from '../errors.ts'
import { readCollectionName, MAX_STATEMENTS, runStatement } from '../request/request.ts'
import type { Command, Request } from '../request/request.ts'
import { runOrdered } from '../request/write-errors.ts'
import { ensureCollection } from '../storage/database.ts'
import { insertRecord } from '../storage/write-unit.ts'
import { MAX_DOCUMENT_BYTES } from '../update/apply-update.ts'
import { checkId } from '../update/check-id.ts'

function rawDocuments(request: Request): readonly Buffer[] {
  const sequence = request.message.sequences.get('documents')
  const list = sequence ?? arrayOfBody(request.message.bodyBytes)
  if (list.length === 0 || list.length > MAX_STATEMENTS) {
    throw new CommandError(
      'InvalidLength',
      `Write batch sizes must be between 1 and ${MAX_STATEMENTS}. Got ${list.length} operations.`,
    )
  }
  return list
}

function arrayOfBody(body: Buffer): Buffer[] {
  for (const { name, type, valueAt, end } of iterateElements(body)) {
    if (name !== 'documents' || type !== 4) continue
    return [...iterateElements(body.subarray(valueAt, end))].map((element) => {
      if (element.type !== 3) throw badValue('documents must hold objects')
      return body.subarray(valueAt + element.valueAt, valueAt + element.end)
    })
  }
  throw new CommandError(
    'Location40414',
    "BSON field 'insert.documents' is missing but a required field",
  )
}

function withId(raw: Buffer): { bytes: Buffer; document: Document } {
  if (raw.length > MAX_DOCUMENT_BYTES)
    throw new CommandError(
      'BSONObjectTooLarge',
      `object to insert too large. size in bytes: ${raw.length}, max size: ${MAX_DOCUMENT_BYTES}`,
    )
  const document = decodeDocument(raw)
  assertStorableDepth(document)
  const id = document['_id']
  checkId(id)
  // Copied, because the buffer of the frame is released.
  if (Object.keys(document)[0] === '_id') return { bytes: Buffer.from(raw), document }
  const ordered = toDocument({ _id: id === undefined ? new ObjectId() : id, ...document })
  if (id !== undefined) ordered['_id'] = id
  return { bytes: encodeDocument(ordered), document: ordered }
}

export const insert: Command = {
  options: ['documents', 'ordered', 'bypassDocumentValidation'],
  access: 'write',
  inTransaction: true,
  run: (request) => {
    const { data } = request.engine
    const documents = rawDocuments(request)
    const collection = ensureCollection(data, request.database, readCollectionName(request))
    let inserted = 0
    const errors = runOrdered(request, documents, (raw) => {
      runStatement(request, (unit) => {
        const { bytes, document } = withId(raw)
        insertRecord(data, unit, collection, bytes, document)
      })
      inserted++
    })
    return toDocument({ n: inserted, ...errors, ok: 1 })
  },
}
