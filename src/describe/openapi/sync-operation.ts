import type { ContentTypePlan } from '../../schema/plan.ts'
import { FLAG, INTEGER, type JsonSchema, objectOf, TEXT } from './json-schema.ts'
import type { PlacedOperation } from './operation.ts'
import { type Parameter, queryParameter } from './parameters.ts'
import { failures } from './responses.ts'
import { permits, type Vocabulary } from './vocabulary.ts'

export function syncOperations(
  vocabulary: Vocabulary,
  content: readonly ContentTypePlan[],
): readonly PlacedOperation[] {
  const synced = content.filter(
    (plan) => permits(vocabulary, plan, 'find') && permits(vocabulary, plan, 'sync'),
  )
  if (synced.length === 0) return []
  const names = synced.map(({ singularName }) => singularName)
  return [syncOperation(names), liveOperation(names)]
}

function syncOperation(names: readonly string[]): PlacedOperation {
  return {
    path: '/api/_sync',
    method: 'get',
    operation: {
      operationId: 'sync',
      summary: 'Fetch all content, then the changes since a token',
      tags: ['Sync'],
      parameters: [
        queryParameter(
          'token',
          TEXT,
          '`next` of the previous response; only `wait` can be combined with it',
        ),
        queryParameter('wait', INTEGER, 'Seconds to wait for a change, at most 25'),
        ...scopeParameters(names),
        queryParameter('limit', INTEGER, 'Items per page, at most 1,000'),
      ],
      responses: {
        200: {
          description: 'A page',
          content: {
            'application/json': { schema: PAGE },
            'application/x-ndjson': {
              schema: { ...TEXT, description: 'One line of JSON per item' },
            },
          },
        },
        304: { description: 'Nothing has changed' },
        ...failures(410),
      },
    },
  }
}

function scopeParameters(names: readonly string[]): readonly Parameter[] {
  return [
    queryParameter('types', TEXT, `Comma-separated: ${names.join(', ')}, upload.file`),
    queryParameter('locale', TEXT, 'Comma-separated locale codes, or *'),
    queryParameter('status', STATUS, 'The versions to return'),
  ]
}

function liveOperation(names: readonly string[]): PlacedOperation {
  return {
    path: '/api/_live',
    method: 'get',
    operation: {
      operationId: 'live',
      summary: 'Stream changes without content as server-sent events',
      tags: ['Sync'],
      parameters: [
        queryParameter(
          'token',
          TEXT,
          '`next` of a `_sync` response, or the `id` of an event; no other parameter is allowed with it',
        ),
        ...scopeParameters(names),
      ],
      responses: {
        200: {
          description: 'An endless stream',
          content: { 'text/event-stream': { schema: { ...TEXT, description: 'Events' } } },
        },
        ...failures(),
      },
    },
  }
}

const STATUS: JsonSchema = { ...TEXT, enum: ['draft', 'published'] }

const ITEM: JsonSchema = {
  type: 'object',
  properties: {
    op: { ...TEXT, enum: ['put', 'delete', 'reset'] },
    type: TEXT,
    documentId: TEXT,
    locale: { type: ['string', 'null'] },
    status: STATUS,
    revision: TEXT,
    data: { type: 'object' },
    reason: { ...TEXT, enum: ['permission', 'schema', 'locale'] },
  },
  required: ['op', 'type'],
}

const PAGE: JsonSchema = objectOf(
  {
    items: { type: 'array', items: ITEM },
    next: TEXT,
    more: FLAG,
    pushed: objectOf({ rows: INTEGER, copy: INTEGER, failed: { type: 'array', items: INTEGER } }, [
      'rows',
    ]),
  },
  ['items', 'next', 'more'],
)
