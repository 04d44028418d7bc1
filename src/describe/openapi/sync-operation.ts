import { contentAction } from '../../people/access/actions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { FLAG, INTEGER, type JsonSchema, objectOf, TEXT } from './json-schema.ts'
import type { PlacedOperation } from './operation.ts'
import { queryParameter } from './parameters.ts'
import { failures } from './responses.ts'
import type { Vocabulary } from './vocabulary.ts'

export function syncOperations(
  vocabulary: Vocabulary,
  content: readonly ContentTypePlan[],
): readonly PlacedOperation[] {
  const synced = content.filter(
    (plan) =>
      vocabulary.may(contentAction(plan, 'find')) && vocabulary.may(contentAction(plan, 'sync')),
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
      summary: 'Everything at first, then the changes since a token',
      tags: ['Sync'],
      parameters: [
        queryParameter('token', TEXT, '`next` of the answer before; then only `wait` beside it'),
        queryParameter('wait', INTEGER, 'Seconds, at most 25, to wait for a change'),
        queryParameter('types', TEXT, `With commas between: ${names.join(', ')}, upload.file`),
        queryParameter('locale', TEXT, 'Codes with commas between, or *'),
        queryParameter('status', { ...TEXT, enum: ['draft', 'published'] }, 'Which versions'),
        queryParameter('limit', INTEGER, 'Items in a page, at most 1,000'),
      ],
      responses: {
        200: {
          description: 'A page',
          content: {
            'application/json': { schema: PAGE },
            'application/x-ndjson': { schema: { ...TEXT, description: 'A line an item' } },
          },
        },
        304: { description: 'Nothing has changed' },
        ...failures(410),
      },
    },
  }
}

function liveOperation(names: readonly string[]): PlacedOperation {
  return {
    path: '/api/_live',
    method: 'get',
    operation: {
      operationId: 'live',
      summary: 'Changes as they come, without content: server-sent events',
      tags: ['Sync'],
      parameters: [
        queryParameter('token', TEXT, 'Of `sync`, or the `id` of an event; then nothing beside it'),
        queryParameter('types', TEXT, `With commas between: ${names.join(', ')}, upload.file`),
        queryParameter('locale', TEXT, 'Codes with commas between, or *'),
        queryParameter('status', { ...TEXT, enum: ['draft', 'published'] }, 'Which versions'),
      ],
      responses: {
        200: {
          description: 'A stream without an end',
          content: { 'text/event-stream': { schema: { ...TEXT, description: 'Events' } } },
        },
        ...failures(),
      },
    },
  }
}

const ITEM: JsonSchema = {
  type: 'object',
  properties: {
    op: { ...TEXT, enum: ['put', 'delete', 'reset'] },
    type: TEXT,
    documentId: TEXT,
    locale: { type: ['string', 'null'] },
    status: { ...TEXT, enum: ['draft', 'published'] },
    revision: TEXT,
    data: { type: 'object' },
    reason: { ...TEXT, enum: ['permission', 'schema', 'locale'] },
  },
  required: ['op', 'type'],
}

const PAGE: JsonSchema = objectOf(
  { items: { type: 'array', items: ITEM }, next: TEXT, more: FLAG },
  ['items', 'next', 'more'],
)
