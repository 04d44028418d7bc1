import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import { parseFields } from './parse-fields.ts'
import { parseFilters } from './parse-filters.ts'
import { parseSearch } from './parse-search.ts'
import { parsePagination } from './parse-pagination.ts'
import { parseHasPublishedVersion, parsePublication } from './parse-publication.ts'
import { parsePopulate } from './populate/parse-populate.ts'
import { assertNearPage, parseOrder } from './parse-order.ts'
import { parseReader, parseStatus, parseVersions } from './parse-version.ts'
import { assertFacetLocale } from './text/parse-facets.ts'
import { parseTextSearch, showsAllPublished } from './text/parse-text-search.ts'
import { bothFilters, withRuledTargets } from './ruled-type.ts'
import { assertPublicationShown } from './shown-publication.ts'
import type {
  EntryQuery,
  Filter,
  Query,
  QueryRules,
  ReadableAs,
  RuledType,
  TypeVisibility,
} from './query.ts'

/** Parameters outside the dialect are ignored. @throws ValidationError, PaginationError */
export function parseQuery(query: Data, type: ContentTypePlan, given: QueryRules): Query {
  const { plan, condition, rules } = readableIn(query, type, given, 'find')
  const filter = parseConditions(query, plan, rules)
  const { sort, nearest } = parseOrder(query['sort'], filter, plan, rules)
  const version = parseVersions(query, plan, filter, rules.locales)
  const corrects = showsAllPublished(condition, version)
  const search = parseTextSearch(query, plan, { rules, corrects })
  assertFacetLocale(search, version)
  const page = parsePagination(query, search?.order ?? nearest?.order ?? sort, rules)
  assertNearPage(nearest, page)
  const populate = parsePopulate(query['populate'], plan, rules)
  assertPublicationShown(query, { plan, populate }, rules)
  return {
    plan,
    filter: bothFilters(condition, filter),
    sort,
    fields: parseFields(query['fields'], plan),
    page,
    version,
    publication: parsePublication(query, plan),
    reader: parseReader(query, rules),
    populate,
    ...(search !== null && { search }),
    ...(nearest !== null && { nearest }),
  }
}

/** Also for the response to a write: the order has no effect, but invalid values are rejected. */
export function parseEntryQuery(query: Data, type: ContentTypePlan, given: QueryRules): EntryQuery {
  const verb = type.kind === 'singleType' ? 'find' : 'findOne'
  const { plan, condition, rules } = readableIn(query, type, given, verb)
  const filter = parseConditions(query, plan, rules)
  parseOrder(query['sort'], filter, plan, rules)
  parseHasPublishedVersion(query)
  const populate = parsePopulate(query['populate'], plan, rules)
  // `hasPublishedVersion` has no effect here.
  const { publicationFilter } = query
  assertPublicationShown({ publicationFilter }, { plan, populate, verb }, rules)
  return {
    plan,
    filter: bothFilters(condition, filter),
    fields: parseFields(query['fields'], plan),
    reader: parseReader(query, rules),
    populate,
  }
}

/** The requested type as the caller sees it in the requested version. */
function readableIn(
  query: Data,
  plan: ContentTypePlan,
  rules: QueryRules,
  verb: ReadableAs['verb'],
): RuledType & { readonly rules: QueryRules } {
  if (rules.readable === undefined) return { plan, condition: null, rules }
  const status = parseStatus(query['status'])
  return { ...rules.readable(plan, { verb, status }), rules: withRuledTargets(rules, status) }
}

function parseConditions(query: Data, plan: ContentTypePlan, rules: TypeVisibility): Filter | null {
  const filter = parseFilters(query['filters'], plan, rules)
  const search = parseSearch(query['_q'], plan)
  if (filter === null || search === null) return filter ?? search
  return { kind: 'all', of: [filter, search] }
}
