import { arraySchema, INTEGER, type JsonSchema, objectOf, TEXT } from './json-schema.ts'
import type { PlacedOperation } from './operation.ts'
import { headerParameter, type Parameter, pathParameter } from './parameters.ts'
import { answer, failures, IDEMPOTENCY_REPLAYED } from './responses.ts'

const TAGS = ['Files']
const PATH = '/api/upload/resumable'
const ID = pathParameter('id', TEXT, 'The documentId of the future file')
const VERSION = required('Tus-Resumable', 'The version of the protocol: `1.0.0`')

const STATE = objectOf(
  {
    id: { ...TEXT, description: 'The documentId of the future file' },
    offset: { ...INTEGER, description: 'The number of received bytes' },
    length: { ...INTEGER, description: 'The number of bytes of the file' },
    expires: { ...TEXT, format: 'date-time' },
  },
  ['id', 'offset', 'length', 'expires'],
)

const OFFSET = {
  'Upload-Offset': { description: 'The number of received bytes', schema: TEXT },
  'Upload-Expires': { description: 'When incomplete uploads are deleted', schema: TEXT },
}

/** Uploads in several requests, see https://tus.io/protocols/resumable-upload. */
export function resumableOperations(file: JsonSchema): readonly PlacedOperation[] {
  return [create(), showState(), receivePart(file), remove()]
}

function create(): PlacedOperation {
  return {
    path: PATH,
    method: 'post',
    operation: {
      operationId: 'files_createResumable',
      summary: 'Begin an upload in several requests (tus 1.0.0)',
      tags: TAGS,
      parameters: [
        VERSION,
        required('Upload-Length', 'The number of bytes of the file'),
        headerParameter('Upload-Metadata', 'Keys `filename`, `filetype` and `fileInfo`, in Base64'),
        headerParameter('Idempotency-Key', 'A retry with the same key returns the same upload'),
      ],
      responses: {
        201: answer('The new upload', STATE, {
          Location: { description: 'The address of the upload', schema: TEXT },
          ...OFFSET,
        }),
        ...failures(409, 412, 413, 422, 429),
      },
    },
  }
}

function showState(): PlacedOperation {
  return {
    path: `${PATH}/:id`,
    method: 'get',
    operation: {
      operationId: 'files_showResumable',
      summary: 'The state of an upload. `HEAD` returns the headers only',
      tags: TAGS,
      parameters: [ID],
      responses: { 200: answer('The state', STATE, OFFSET), ...failures(404, 409, 423) },
    },
  }
}

function receivePart(file: JsonSchema): PlacedOperation {
  return {
    path: `${PATH}/:id`,
    method: 'patch',
    operation: {
      operationId: 'files_sendPart',
      summary: 'Send bytes. The request with the last byte stores the file',
      tags: TAGS,
      parameters: [ID, VERSION, required('Upload-Offset', 'The offset of the first byte')],
      requestBody: {
        required: true,
        content: { 'application/offset+octet-stream': { schema: {} } },
      },
      responses: {
        200: answer('The new file', arraySchema(file), { ...OFFSET, ...IDEMPOTENCY_REPLAYED }),
        204: { description: 'The bytes are stored', headers: OFFSET },
        ...failures(404, 409, 412, 413, 423),
      },
    },
  }
}

function remove(): PlacedOperation {
  return {
    path: `${PATH}/:id`,
    method: 'delete',
    operation: {
      operationId: 'files_deleteResumable',
      summary: 'Give up an upload',
      tags: TAGS,
      parameters: [ID, VERSION],
      responses: { 204: { description: 'The upload is deleted' }, ...failures(404, 412, 423) },
    },
  }
}

function required(name: string, description: string): Parameter {
  return { ...headerParameter(name, description), required: true }
}
