import type { ContentTypePlan } from '../../schema/plan.ts'
import { FLAG, INTEGER, type JsonSchema, objectOf, TEXT } from './json-schema.ts'
import type { PlacedOperation } from './operation.ts'
import { queryParameter } from './parameters.ts'
import { failures } from './responses.ts'
import { permits, type Vocabulary } from './vocabulary.ts'

const LINES = 'application/x-ndjson'

export function bulkOperations(
  vocabulary: Vocabulary,
  content: readonly ContentTypePlan[],
): readonly PlacedOperation[] {
  const written = content.filter((plan) =>
    (['create', 'update', 'delete'] as const).some((verb) => permits(vocabulary, plan, verb)),
  )
  if (written.length === 0) return []
  const names = written.map(({ singularName }) => singularName)
  const schema = lines('One line of JSON per document', lineSchema(names))
  return [
    {
      path: '/api/_bulk',
      method: 'post',
      operation: {
        operationId: 'bulk_write',
        summary: 'Create, change and delete many documents',
        tags: ['Bulk'],
        parameters: [queryParameter('atomic', FLAG, 'Apply all lines or none; at most 500 lines')],
        requestBody: { required: true, content: { [LINES]: { schema } } },
        responses: {
          200: {
            description: 'One line per request line, in the same order',
            content: { [LINES]: { schema: lines('One line of JSON per document', ANSWER) } },
          },
          ...failures(404, 409, 413, 422),
        },
      },
    },
  ]
}

/** NDJSON, described for people, because generators do not support it. */
function lines(description: string, schema: JsonSchema): JsonSchema {
  return { ...TEXT, description, contentMediaType: LINES, contentSchema: schema }
}

function lineSchema(types: readonly string[]): JsonSchema {
  return objectOf(
    {
      op: { ...TEXT, enum: ['upsert', 'delete'] },
      type: { ...TEXT, description: `A singular name or a uid: ${types.join(', ')}` },
      documentId: { ...TEXT, description: 'The id of an existing or new document' },
      key: {
        type: 'object',
        description: 'Selects the document by a unique attribute instead of `documentId`',
      },
      locale: TEXT,
      status: { ...TEXT, enum: ['draft', 'published'] },
      data: { type: 'object', description: 'As in the body of a single write' },
    },
    ['op', 'type'],
  )
}

const ANSWER: JsonSchema = {
  type: 'object',
  properties: {
    line: { type: ['integer', 'null'] },
    status: INTEGER,
    result: { ...TEXT, enum: ['created', 'updated', 'unchanged', 'deleted'] },
    documentId: TEXT,
    code: TEXT,
    error: { type: 'object' },
  },
  required: ['line'],
}
