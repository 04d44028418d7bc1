import { ObjectId } from 'bson'
import { decodeDocument, iterateElements } from '../bson/decode.ts'
import { assertStorableDepth } from '../bson/depth.ts'
import { encodeDocument } from '../bson/encode.ts'
import { isDocument, toDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, CommandError } from '../errors.ts'
import { readCollectionName, MAX_STATEMENTS, runStatement } from '../request/request.ts'
import type { Command, Request } from '../request/request.ts'
import { runOrdered } from '../request/write-errors.ts'
import type { Collection } from '../storage/collection.ts'
import { ensureCollection } from '../storage/database.ts'
import { insertRecord } from '../storage/write-unit.ts'
import { MAX_DOCUMENT_BYTES } from '../update/apply-update.ts'
import { checkId } from '../update/check-id.ts'

/** A document to insert, and its value if the message was decoded with it. */
export interface GivenDocument {
  readonly raw: Buffer
  readonly decoded?: Value
}

function givenDocuments({ message, body }: Request): readonly GivenDocument[] {
  const sequence = message.sequences.get('documents')
  const list = sequence?.map((raw) => ({ raw })) ?? documentsOf(message.bodyBytes, body)
  if (list.length === 0 || list.length > MAX_STATEMENTS) {
    throw new CommandError(
      'InvalidLength',
      `Write batch sizes must be between 1 and ${MAX_STATEMENTS}. Got ${list.length} operations.`,
    )
  }
  return list
}

function documentsOf(bytes: Buffer, { documents }: Document): GivenDocument[] {
  const raw = readArrayElements(bytes, 'documents')
  if (raw === null || !Array.isArray(documents))
    throw new CommandError(
      'Location40414',
      "BSON field 'insert.documents' is missing but a required field",
    )
  if (!documents.every(isDocument)) throw badValue('documents must hold objects')
  return raw.map((bytes, index) => ({ raw: bytes, decoded: documents[index] }))
}

/** The bytes of the elements of a list. Null if the document has no such list. */
export function readArrayElements(bytes: Buffer, list: string): readonly Buffer[] | null {
  let found: readonly Buffer[] | null = null
  for (const { name, type, valueAt, end } of iterateElements(bytes)) {
    if (name !== list || type !== 4) continue
    const body = bytes.subarray(valueAt, end)
    found = [...iterateElements(body)].map((each) => body.subarray(each.valueAt, each.end))
  }
  return found // the last one, as in `decodeDocument`
}

function withId({ raw, decoded }: GivenDocument): { bytes: Buffer; document: Document } {
  if (raw.length > MAX_DOCUMENT_BYTES)
    throw new CommandError(
      'BSONObjectTooLarge',
      `object to insert too large. size in bytes: ${raw.length}, max size: ${MAX_DOCUMENT_BYTES}`,
    )
  const document = isDocument(decoded) ? decoded : decodeDocument(raw)
  assertStorableDepth(document)
  const id = document['_id']
  checkId(id)
  // Copied, because the buffer of the frame is released.
  if (Object.keys(document)[0] === '_id') return { bytes: Buffer.from(raw), document }
  const ordered = toDocument({ _id: id === undefined ? new ObjectId() : id, ...document })
  if (id !== undefined) ordered['_id'] = id
  return { bytes: encodeDocument(ordered), document: ordered }
}

export function runInsert(request: Request, collection: Collection, given: GivenDocument): void {
  runStatement(request, (unit) => {
    const { bytes, document } = withId(given)
    insertRecord(request.engine.data, unit, collection, bytes, document)
  })
}

export const insert: Command = {
  options: ['documents', 'ordered', 'bypassDocumentValidation'],
  access: 'write',
  inTransaction: true,
  run: (request) => {
    const { data } = request.engine
    const documents = givenDocuments(request)
    const collection = ensureCollection(data, request.database, readCollectionName(request))
    let inserted = 0
    const errors = runOrdered(request, documents, (given) => {
      runInsert(request, collection, given)
      inserted++
    })
    return toDocument({ n: inserted, ...errors, ok: 1 })
  },
}
