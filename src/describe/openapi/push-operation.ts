import { contentAction } from '../../people/access/actions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { FLAG, INTEGER, type JsonSchema, objectOf, TEXT } from './json-schema.ts'
import type { PlacedOperation } from './operation.ts'
import { failures } from './responses.ts'
import type { Vocabulary } from './vocabulary.ts'

const LINES = 'application/x-ndjson'

export function pushOperations(
  vocabulary: Vocabulary,
  content: readonly ContentTypePlan[],
): readonly PlacedOperation[] {
  const pushed = content.filter(
    (plan) => plan.push === true && vocabulary.may(contentAction(plan, 'push')),
  )
  if (pushed.length === 0) return []
  const names = pushed.map(({ singularName }) => singularName)
  return [
    {
      path: '/api/_push',
      method: 'post',
      operation: {
        operationId: 'push',
        summary: 'Send changes that a device made offline',
        tags: ['Sync'],
        requestBody: {
          required: true,
          content: {
            [LINES]: { schema: lines('A line about the client, then mutations', mutation(names)) },
          },
        },
        responses: {
          200: {
            description: 'A line about the client, then an outcome per mutation, in order',
            content: { [LINES]: { schema: lines('One line of JSON per outcome', OUTCOME) } },
          },
          ...failures(409, 413),
        },
      },
    },
  ]
}

/** NDJSON, described for people, because generators do not support it. */
function lines(description: string, schema: JsonSchema): JsonSchema {
  return { ...TEXT, description, contentMediaType: LINES, contentSchema: schema }
}

function mutation(types: readonly string[]): JsonSchema {
  return objectOf(
    {
      n: INTEGER,
      op: { ...TEXT, enum: ['create', 'update', 'delete', 'publish', 'skip'] },
      type: { ...TEXT, enum: types },
      documentId: TEXT,
      locale: { type: ['string', 'null'] },
      base: { description: 'A revision, the number of an earlier mutation, or null' },
      patch: { type: 'object', description: 'An operation per attribute' },
      seen: { type: 'object', description: 'The values before the mutation' },
      depends: { type: 'array', items: INTEGER },
    },
    ['n', 'op'],
  )
}

const OUTCOME: JsonSchema = {
  type: 'object',
  properties: {
    n: INTEGER,
    outcome: { ...TEXT, enum: ['applied', 'merged', 'conflict', 'refused', 'retry'] },
    revision: { type: ['string', 'null'] },
    code: TEXT,
    attributes: { type: 'array', items: TEXT },
    base: { type: 'object' },
    mine: { type: 'object' },
    theirs: { type: ['object', 'null'] },
    keys: { type: 'object' },
    rebased: FLAG,
    changed: FLAG,
    replayed: FLAG,
    error: { type: 'object' },
  },
  required: ['n', 'outcome'],
}
