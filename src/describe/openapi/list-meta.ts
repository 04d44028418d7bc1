import type { ContentTypePlan } from '../../schema/plan.ts'
import {
  FLAG,
  INTEGER,
  type JsonSchema,
  arraySchema,
  objectOf,
  orNull,
  TEXT,
} from './json-schema.ts'
import { locationNames } from './read-parameters.ts'
import type { Vocabulary } from './vocabulary.ts'

export function listMeta(vocabulary: Vocabulary, plan: ContentTypePlan): JsonSchema {
  const pagination = paginationSchema(vocabulary)
  const hasLocation = locationNames(plan).length > 0
  const more = hasLocation ? { distances: DISTANCES } : {}
  if (plan.search === null) return objectOf({ pagination, ...more }, ['pagination'])
  const found = vocabulary.refer('Search', () =>
    objectOf(
      {
        terms: { ...arraySchema(TEXT), description: 'The words that were searched' },
        corrected: {
          type: 'object',
          additionalProperties: TEXT,
          description: 'By misspelled word: the word that was searched instead',
        },
        capped: { ...FLAG, description: 'More entries have these words than a search checks' },
        highlights: {
          ...arraySchema({ type: 'object', additionalProperties: arraySchema(TEXT) }),
          description:
            'By attribute, in the order of `data`: texts without and with a match in turn',
        },
        facets: {
          type: 'object',
          additionalProperties: FACET,
          description: 'By attribute: the values of all found entries',
        },
      },
      ['terms'],
    ),
  )
  return objectOf({ pagination, search: found, ...more }, ['pagination'])
}

const FACET: JsonSchema = objectOf(
  {
    counts: {
      ...arraySchema(
        objectOf(
          {
            value: {
              type: ['string', 'boolean', 'null'],
              description: 'The documentId of a target; null for entries without a visible value',
            },
            count: INTEGER,
          },
          ['value', 'count'],
        ),
      ),
      description: 'The most frequent values first',
    },
    capped: { ...FLAG, description: 'There are more values' },
    estimated: { ...FLAG, description: 'More entries have these words than a search checks' },
  },
  ['counts'],
)

export const DISTANCES: JsonSchema = {
  ...arraySchema({ type: 'number' }),
  description: 'In meters, in the order of `data`; only for an order by distance',
}

export function paginationSchema({ refer }: Vocabulary): JsonSchema {
  return refer('Pagination', () =>
    objectOf({
      page: INTEGER,
      pageSize: INTEGER,
      pageCount: INTEGER,
      start: INTEGER,
      limit: INTEGER,
      total: INTEGER,
      nextCursor: { ...orNull(TEXT), description: 'Null on the last page' },
      estimated: { ...FLAG, description: '`total` is an estimate' },
      capped: { ...FLAG, description: 'There may be more than `total`' },
      countTimedOut: { ...FLAG, description: 'Counting took too long: there is no `total`' },
    }),
  )
}
