import { pluginAction } from '../../people/access/actions.ts'
import { FILE_TEXTS } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { paginationSchema } from './list-meta.ts'
import { entryProperties } from './entry-schemas.ts'
import { filterParameters } from './filter-parameters.ts'
import { INTEGER, type JsonSchema, arraySchema, objectOf, orNull, TEXT } from './json-schema.ts'
import type { PlacedOperation } from './operation.ts'
import { headerParameter, pathParameter, queryParameter } from './parameters.ts'
import {
  type Bounds,
  paginationParameters,
  shownParameters,
  sortParameter,
} from './read-parameters.ts'
import { resumableOperations } from './resumable-operations.ts'
import { answer, failures, IDEMPOTENCY_REPLAYED } from './responses.ts'
import type { Vocabulary } from './vocabulary.ts'

const TAGS = ['Files']
const ID = pathParameter('id', TEXT, 'The `id` or `documentId` of the file')

export function fileOperations(vocabulary: Vocabulary, bounds: Bounds): readonly PlacedOperation[] {
  const plan = filePlan(vocabulary)
  const may = (verb: 'find' | 'findOne' | 'upload' | 'destroy'): boolean =>
    vocabulary.may(pluginAction('plugin::upload.content-api', verb))
  const file = (): JsonSchema => fileSchema(vocabulary, plan)
  return [
    ...(may('upload')
      ? [
          upload(vocabulary, file()),
          presign(),
          complete(vocabulary, file()),
          ...resumableOperations(file()),
        ]
      : []),
    ...(may('find')
      ? [list(vocabulary, plan, file(), bounds.maxLimit), page(vocabulary, plan, file(), bounds)]
      : []),
    ...(may('findOne')
      ? [
          placed('/api/upload/files/:id', 'get', {
            operationId: 'files_findOne',
            summary: 'One file',
            tags: TAGS,
            parameters: [ID, ...shownParameters(vocabulary, plan)],
            responses: { 200: answer('The file', file()), ...failures(404) },
          }),
          placed('/api/upload/files/:id/address', 'get', {
            operationId: 'files_findAddress',
            summary: 'The current addresses of a file, signed if it is private',
            tags: TAGS,
            parameters: [ID],
            responses: { 200: answer('The file with its addresses', file()), ...failures(404) },
          }),
        ]
      : []),
    ...(may('destroy')
      ? [
          placed('/api/upload/files/:id', 'delete', {
            operationId: 'files_delete',
            summary: 'Delete a file',
            tags: TAGS,
            parameters: [ID],
            responses: { 200: answer('The deleted file', file()), ...failures(404) },
          }),
        ]
      : []),
  ]
}

function filePlan({ schema }: Vocabulary): ContentTypePlan {
  const plan = schema.contentTypes.get('plugin::upload.file')
  if (plan === undefined) throw new Error('there are no files')
  return plan
}

function fileSchema(vocabulary: Vocabulary, plan: ContentTypePlan): JsonSchema {
  return vocabulary.refer('UploadFile_Entry', () =>
    objectOf(
      {
        ...entryProperties(vocabulary, plan),
        isUrlSigned: { type: 'boolean' },
        translations: {
          ...translationsSchema(TEXT),
          description: 'The texts by locale. Absent if there are none',
        },
      },
      ['id', 'documentId', 'isUrlSigned'],
    ),
  )
}

function list(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  file: JsonSchema,
  maxLimit: number,
): PlacedOperation {
  return placed('/api/upload/files', 'get', {
    operationId: 'files_find',
    summary: 'A list of files, without an envelope',
    tags: TAGS,
    parameters: [
      ...shownParameters(vocabulary, plan),
      sortParameter(vocabulary, plan),
      queryParameter('start', { type: 'integer', minimum: 0 }),
      queryParameter('limit', { type: 'integer', minimum: 1, maximum: maxLimit }),
      ...filterParameters(vocabulary, plan),
    ],
    responses: { 200: answer('The files', arraySchema(file)), ...failures() },
  })
}

function page(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
  file: JsonSchema,
  bounds: Bounds,
): PlacedOperation {
  const pagination = paginationSchema(vocabulary)
  const body = objectOf(
    { data: arraySchema(file), meta: objectOf({ pagination }, ['pagination']) },
    ['data', 'meta'],
  )
  return placed('/api/upload/files/page', 'get', {
    operationId: 'files_findPage',
    summary: 'A page of files, with its pagination',
    tags: TAGS,
    parameters: [
      ...shownParameters(vocabulary, plan),
      sortParameter(vocabulary, plan),
      ...paginationParameters(bounds),
      queryParameter('_q', TEXT, 'Searches the text attributes of files'),
      ...filterParameters(vocabulary, plan),
    ],
    responses: { 200: answer('The page', body), ...failures() },
  })
}

function translationsSchema(text: JsonSchema, record = (texts: JsonSchema) => texts): JsonSchema {
  const texts = objectOf(Object.fromEntries(FILE_TEXTS.map((name) => [name, text])))
  return { type: 'object', additionalProperties: record(texts) }
}

function fileInput({ refer }: Vocabulary): JsonSchema {
  return refer('FileInput', () => ({
    type: 'object',
    properties: {
      name: TEXT,
      alternativeText: orNull(TEXT),
      caption: orNull(TEXT),
      focalPoint: orNull(objectOf({ x: { type: 'number' }, y: { type: 'number' } }, ['x', 'y'])),
      private: {
        type: 'boolean',
        description: 'Whether the file has signed addresses that expire',
      },
      translations: {
        ...orNull(translationsSchema(orNull(TEXT), orNull)),
        description: 'Changes of the texts by locale. Null and empty texts remove a text',
      },
    },
  }))
}

function presign(): PlacedOperation {
  const form = objectOf(
    {
      key: { ...TEXT, description: 'Names the upload for `/api/upload/complete`' },
      url: { ...TEXT, description: 'Where to post the form, as multipart/form-data' },
      fields: {
        type: 'object',
        additionalProperties: TEXT,
        description: 'The fields of the form, before the field `file`',
      },
      maxBytes: INTEGER,
      expires: { ...TEXT, format: 'date-time' },
    },
    ['key', 'url', 'fields', 'maxBytes', 'expires'],
  )
  return placed('/api/upload/presign', 'post', {
    operationId: 'files_presign',
    summary: 'A form that sends a file to the bucket itself',
    tags: TAGS,
    responses: { 200: answer('The form', form), ...failures() },
  })
}

function complete(vocabulary: Vocabulary, file: JsonSchema): PlacedOperation {
  const body = objectOf(
    {
      key: { ...TEXT, description: 'The `key` of the form' },
      name: { ...TEXT, description: 'The file name' },
      fileInfo: fileInput(vocabulary),
      ref: TEXT,
      refId: TEXT,
      field: TEXT,
    },
    ['key', 'name'],
  )
  return placed('/api/upload/complete', 'post', {
    operationId: 'files_complete',
    summary: 'Check a file that was sent to the bucket, and store it',
    tags: TAGS,
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      201: answer('The new file', arraySchema(file)),
      ...failures(404, 412, 413),
    },
  })
}

function upload(vocabulary: Vocabulary, file: JsonSchema): PlacedOperation {
  const info = fileInput(vocabulary)
  const form = objectOf({
    files: arraySchema({ ...TEXT, contentMediaType: 'application/octet-stream' }),
    fileInfo: {
      ...TEXT,
      contentMediaType: 'application/json',
      contentSchema: info,
      description: 'JSON: an object with the texts of the file, or a list with one object per file',
    },
    ref: {
      ...TEXT,
      description: 'The uid of the content-type of the entry to attach the files to',
    },
    refId: { ...TEXT, description: 'The documentId of the entry to attach the files to' },
    field: { ...TEXT, description: 'The media attribute to attach the files to' },
  })
  const change = objectOf({ fileInfo: info }, ['fileInfo'])
  return placed('/api/upload', 'post', {
    operationId: 'files_upload',
    summary: 'Upload files; with `id`, replace a file or change its texts',
    tags: TAGS,
    parameters: [queryParameter('id', TEXT, 'The id of the file to change'), UPLOAD_KEY],
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': { schema: form },
        'application/json': { schema: change },
      },
    },
    responses: {
      200: answer('The changed file', file),
      201: answer(
        'The new files, in the order of the request',
        arraySchema(file),
        IDEMPOTENCY_REPLAYED,
      ),
      ...failures(404, 409, 413),
    },
  })
}

const UPLOAD_KEY = headerParameter(
  'Idempotency-Key',
  'A unique string of the client, for an upload of one file; a retry with the same key returns the stored file',
)

function placed(
  path: string,
  method: PlacedOperation['method'],
  operation: PlacedOperation['operation'],
): PlacedOperation {
  return { path, method, operation }
}

export function localeOperations({ may, refer }: Vocabulary): readonly PlacedOperation[] {
  if (!may(pluginAction('plugin::i18n.locales', 'listLocales'))) return []
  const date = { ...TEXT, format: 'date-time' }
  const locale = refer('Locale', () => {
    const properties = {
      id: INTEGER,
      documentId: TEXT,
      name: TEXT,
      code: TEXT,
      isDefault: { type: 'boolean' },
      createdAt: date,
      updatedAt: date,
      publishedAt: date,
    }
    return objectOf(properties, Object.keys(properties))
  })
  return [
    placed('/api/i18n/locales', 'get', {
      operationId: 'locales_find',
      summary: 'The content locales, without an envelope',
      tags: ['Locales'],
      responses: { 200: answer('The locales', arraySchema(locale)), ...failures() },
    }),
  ]
}
