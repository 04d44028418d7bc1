import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan } from '../schema/plan.ts'
import { parseFields } from './parse-fields.ts'
import { parseFilters } from './parse-filters.ts'
import { parseSearch } from './parse-search.ts'
import { parsePagination } from './parse-pagination.ts'
import { parseHasPublishedVersion, parsePublication } from './parse-publication.ts'
import { parsePopulate } from './populate/parse-populate.ts'
import { parseSort } from './parse-sort.ts'
import { parseReader, parseVersions } from './parse-version.ts'
import type { EntryQuery, Filter, Query, QueryRules, SortKey } from './query.ts'

/** Parameters outside the dialect are ignored. @throws ValidationError, PaginationError */
export function parseQuery(query: Data, plan: ContentTypePlan, rules: QueryRules): Query {
  const filter = parseConditions(query, plan, rules)
  const sort = withTieBreak(parseSort(query['sort'], plan, rules), plan)
  return {
    plan,
    filter,
    sort,
    fields: parseFields(query['fields'], plan),
    page: parsePagination(query, sort, rules),
    version: parseVersions(query, plan, filter, rules.locales),
    publication: parsePublication(query, plan),
    reader: parseReader(query, rules),
    populate: parsePopulate(query['populate'], plan, rules),
  }
}

/**
 * Also for the response to a write. The order and `hasPublishedVersion` have no effect, but invalid
 * values are rejected.
 * @throws ValidationError, PaginationError
 */
export function parseEntryQuery(query: Data, plan: ContentTypePlan, rules: QueryRules): EntryQuery {
  parseSort(query['sort'], plan, rules)
  parseHasPublishedVersion(query)
  return {
    filter: parseConditions(query, plan, rules),
    fields: parseFields(query['fields'], plan),
    reader: parseReader(query, rules),
    populate: parsePopulate(query['populate'], plan, rules),
  }
}

function parseConditions(
  query: Data,
  plan: ContentTypePlan,
  rules: Pick<QueryRules, 'mayRead'>,
): Filter | null {
  const filter = parseFilters(query['filters'], plan, rules)
  const search = parseSearch(query['_q'], plan)
  if (filter === null || search === null) return filter ?? search
  return { kind: 'all', of: [filter, search] }
}

/**
 * Appends `id`, so that pages neither repeat nor skip entries. It takes the direction of the last
 * key, so that one index serves an order and its reverse.
 */
function withTieBreak(sort: readonly SortKey[], plan: ContentTypePlan): readonly SortKey[] {
  if (sort.some(({ attribute, through }) => attribute.name === 'id' && through.length === 0))
    return sort
  const direction = sort.at(-1)?.direction ?? 'asc'
  return [...sort, { through: [], attribute: idOf(plan), direction }]
}

function idOf(plan: ContentTypePlan): ScalarPlan {
  const id = plan.members.get('id')
  if (id?.kind !== 'scalar') throw new Error(`${plan.uid} has no id`)
  return id
}
