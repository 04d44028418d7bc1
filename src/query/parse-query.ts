import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan } from '../schema/plan.ts'
import { parseFields } from './parse-fields.ts'
import { parseFilters, parseSearch } from './parse-filters.ts'
import { parsePagination } from './parse-pagination.ts'
import { parseSort } from './parse-sort.ts'
import { parseVersions } from './parse-version.ts'
import type { FieldSelection, Filter, Query, QueryRules, SortKey } from './query.ts'

/**
 * Reads what a list request asks for. Parameters outside the dialect are ignored, and never forwarded.
 * @throws ValidationError, PaginationError for whatever is not understood.
 */
export function parseQuery(query: Data, plan: ContentTypePlan, rules: QueryRules): Query {
  const filter = parseConditions(query, plan, rules)
  const sort = withTieBreak(parseSort(query['sort'], plan), plan)
  return {
    plan,
    filter,
    sort,
    fields: parseFields(query['fields'], plan),
    page: parsePagination(query, sort, rules),
    version: parseVersions(query, plan, filter, rules.locales),
  }
}

/** What a request for one entry may say about it: which conditions it must meet, and what to show. */
export function parseEntryQuery(
  query: Data,
  plan: ContentTypePlan,
  rules: Pick<QueryRules, 'mayRead'>,
): { readonly filter: Filter | null; readonly fields: FieldSelection } {
  return {
    filter: parseConditions(query, plan, rules),
    fields: parseFields(query['fields'], plan),
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

/** Every order ends in `id`, unique in its collection, so that pages neither repeat nor skip entries. */
function withTieBreak(sort: readonly SortKey[], plan: ContentTypePlan): readonly SortKey[] {
  if (sort.some(({ attribute }) => attribute.name === 'id')) return sort
  return [...sort, { attribute: idOf(plan), direction: 'asc' }]
}

function idOf(plan: ContentTypePlan): ScalarPlan {
  const id = plan.members.get('id')
  if (id?.kind !== 'scalar') throw new Error(`${plan.uid} has no id`)
  return id
}
