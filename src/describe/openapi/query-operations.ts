import { contentAction, queryAction } from '../../people/access/actions.ts'
import { compileQueries } from '../../query/named/compile-queries.ts'
import type { NamedQuery } from '../../query/named/named-query.ts'
import { AGGREGATE_LIMITS } from '../../query/aggregate.ts'
import { showEntry } from '../../query/named/shown-entry.ts'
import { showGroup, type ShownGroup } from '../../query/named/shown-group.ts'
import type { ParameterDefinition, ParameterType } from '../../schema/definition.ts'
import type { Schema } from '../../schema/plan.ts'
import { asksNearest } from '../../query/parse-order.ts'
import { READ_HEADERS } from './content-operations.ts'
import { DISTANCES, listMeta, paginationSchema } from './list-meta.ts'
import {
  FLAG,
  INTEGER,
  type JsonSchema,
  arraySchema,
  objectOf,
  orNull,
  TEXT,
} from './json-schema.ts'
import type { PlacedOperation } from './operation.ts'
import { type Parameter, queryParameter } from './parameters.ts'
import {
  type Bounds,
  FALLBACK_LOCALE,
  localeParameter,
  PUBLICATION_FILTER,
  STATUS,
} from './read-parameters.ts'
import { answer, ENTITY_TAG, failures, NOT_MODIFIED } from './responses.ts'
import { valueSchema } from './scalar-schemas.ts'
import { nameQueries } from './schema-names.ts'
import type { Vocabulary } from './vocabulary.ts'
import { shownSchema } from './shown-schema.ts'

export function queryOperations(
  vocabulary: Vocabulary,
  facts: Bounds & { readonly schema: Schema },
): readonly PlacedOperation[] {
  const names = nameQueries(facts.schema)
  return [...compileQueries(facts.schema, facts)]
    .filter(([query]) => vocabulary.may(queryAction(query)))
    .map(([query, compiled]) => ({
      path: `/api/_q/${query}`,
      method: 'get',
      operation: {
        operationId: `query_${names.get(query) ?? query}`,
        summary: compiled.definition.description || `Run the query ${query}`,
        tags: ['Queries'],
        parameters: [...parametersOf(vocabulary, compiled, facts), ...READ_HEADERS],
        responses: {
          200: answer(
            descriptionOf(compiled),
            answerSchema(vocabulary, names.get(query) ?? query, compiled),
            ENTITY_TAG,
          ),
          304: NOT_MODIFIED,
          ...(compiled.isOne ? failures(404, 501) : failures(501)),
        },
      },
    }))
}

function descriptionOf({ aggregate, isOne }: NamedQuery): string {
  if (aggregate !== null) return 'The groups'
  return isOne ? 'The entry' : 'A page'
}

const CAPPED: JsonSchema = {
  ...FLAG,
  description: `True if there are more than ${AGGREGATE_LIMITS.groups} groups`,
}

/** `HomeFeed_Query` cannot collide with a content-type or component. */
function answerSchema(
  vocabulary: Vocabulary,
  name: string,
  { plan, shown, aggregate, isOne, definition }: NamedQuery,
): JsonSchema {
  return vocabulary.refer(`${name}_Query`, () => {
    if (aggregate !== null) {
      const groups = arraySchema(groupSchema(vocabulary, showGroup(aggregate)))
      const meta = objectOf({ capped: CAPPED }, ['capped'])
      return objectOf({ data: groups, meta }, ['data', 'meta'])
    }
    const presence = definition.rules === 'caller' ? 'unlessHidden' : 'always'
    const entry = shownSchema(vocabulary, showEntry(plan, shown), presence)
    if (isOne) return objectOf({ data: entry, meta: objectOf({}) }, ['data', 'meta'])
    const near = asksNearest(definition.asked['sort']) ? { distances: DISTANCES } : {}
    const meta =
      definition.asked['rank'] === undefined
        ? objectOf({ pagination: paginationSchema(vocabulary), ...near }, ['pagination'])
        : listMeta(vocabulary, plan)
    return objectOf({ data: arraySchema(entry), meta }, ['data', 'meta'])
  })
}

function parametersOf(
  { may }: Vocabulary,
  { plan, parameters, takesLocale, takesFallback, takesStatus }: NamedQuery,
  { locales }: Bounds,
): readonly Parameter[] {
  const mayReadDrafts = !plan.draftAndPublish || may(contentAction(plan, 'readDrafts'))
  return [
    ...[...parameters].map(([name, definition]) => declaredParameter(name, definition)),
    ...(takesLocale ? [localeParameter(locales, [], 'The default locale if omitted')] : []),
    ...(takesFallback ? [FALLBACK_LOCALE] : []),
    ...(takesStatus && mayReadDrafts ? [STATUS] : []),
    ...(takesStatus ? [PUBLICATION_FILTER] : []),
  ]
}

function declaredParameter(name: string, definition: ParameterDefinition): Parameter {
  const { type, list, enum: values, required, default: fallback, description } = definition
  const one: JsonSchema = values === undefined ? VALUES[type] : { ...TEXT, enum: values }
  const withDefault = fallback === undefined ? one : { ...one, default: fallback }
  return {
    ...queryParameter(name, list === true ? arraySchema(one) : withDefault, description),
    ...(required === true && { required }),
  }
}

const VALUES: Readonly<Record<ParameterType, JsonSchema>> = {
  string: TEXT,
  enumeration: TEXT,
  integer: INTEGER,
  biginteger: { type: 'string', pattern: '^[+-]?\\d+$' },
  float: { type: 'number' },
  decimal: { type: 'number' },
  boolean: FLAG,
  date: { ...TEXT, format: 'date' },
  time: TEXT,
  datetime: { ...TEXT, format: 'date-time' },
}

function groupSchema(vocabulary: Vocabulary, { counts, parts }: ShownGroup): JsonSchema {
  const members = parts.map(([name, values]): [string, JsonSchema] => [
    name,
    exactObject(
      values.map((value) => {
        const schema = valueSchema(vocabulary, value.plan)
        return [value.name, value.isNullable ? orNull(schema) : schema]
      }),
    ),
  ])
  return exactObject([...members, ...(counts ? [['count', INTEGER] as const] : [])])
}

function exactObject(members: readonly (readonly [string, JsonSchema])[]): JsonSchema {
  return objectOf(
    Object.fromEntries(members),
    members.map(([name]) => name),
  )
}
