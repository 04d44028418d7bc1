import { contentAction } from '../../people/access/actions.ts'
import { TYPES_SEARCH_LIMITS } from '../../query/text/parse-types-search.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { READ_HEADERS } from './content-operations.ts'
import { listMeta } from './list-meta.ts'
import { entrySchema } from './entry-schemas.ts'
import { arraySchema, INTEGER, type JsonSchema, objectOf, TEXT } from './json-schema.ts'
import type { PlacedOperation } from './operation.ts'
import { type Parameter, queryParameter } from './parameters.ts'
import { type Bounds, localeParameter } from './read-parameters.ts'
import { answer, ENTITY_TAG, failures, NOT_MODIFIED } from './responses.ts'
import type { Vocabulary } from './vocabulary.ts'

export function typesSearchOperations(
  vocabulary: Vocabulary,
  content: readonly ContentTypePlan[],
  bounds: Bounds,
): readonly PlacedOperation[] {
  const searched = content.filter(
    (plan) =>
      plan.search !== null &&
      plan.kind === 'collectionType' &&
      vocabulary.may(contentAction(plan, 'find')),
  )
  if (searched.length === 0) return []
  const groups = searched.map((plan) => groupSchema(vocabulary, plan))
  const [only, ...others] = groups
  const data = arraySchema(only !== undefined && others.length === 0 ? only : { anyOf: groups })
  return [
    {
      path: '/api/_search',
      method: 'get',
      operation: {
        operationId: 'search',
        summary: 'Search several content-types',
        tags: ['Search'],
        parameters: parametersOf(searched, bounds),
        responses: {
          200: answer(
            'The content-types with results',
            objectOf({ data, meta: objectOf({}) }, ['data', 'meta']),
            ENTITY_TAG,
          ),
          304: NOT_MODIFIED,
          ...failures(),
        },
      },
    },
  ]
}

function parametersOf(
  searched: readonly ContentTypePlan[],
  { locales }: Bounds,
): readonly Parameter[] {
  const names = searched.map(({ singularName }) => singularName).join(', ')
  const { entries, usualEntries } = TYPES_SEARCH_LIMITS
  const limit = { ...INTEGER, minimum: 1, maximum: entries, default: usualEntries }
  return [
    { ...queryParameter('q', TEXT, 'The words to search'), required: true },
    queryParameter('types', TEXT, `Comma-separated: ${names}. All of them if omitted`),
    localeParameter(locales, [], 'Of localized content-types'),
    queryParameter('limit', limit, 'Entries per content-type'),
    ...READ_HEADERS,
  ]
}

function groupSchema(vocabulary: Vocabulary, plan: ContentTypePlan): JsonSchema {
  return objectOf(
    {
      type: { ...TEXT, enum: [plan.singularName] },
      data: arraySchema(entrySchema(vocabulary, plan)),
      meta: listMeta(vocabulary, plan),
    },
    ['type', 'data', 'meta'],
  )
}
