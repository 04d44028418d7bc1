import { shownName, ValidationError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import { didYouMean } from '../../base/near-miss.ts'
import type { Data, QueryDefinition, Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { groupedRelations, parseAggregate } from '../aggregate.ts'
import { parseFilters } from '../parse-filters.ts'
import { asksNearest, assertNearPage, type ListOrder, parseNearest } from '../parse-order.ts'
import { parseSearch } from '../parse-search.ts'
import { assertFacetLocale } from '../text/parse-facets.ts'
import { parseTextSearch, type SearchRights, showsAllPublished } from '../text/parse-text-search.ts'
import { parsePagination } from '../parse-pagination.ts'
import { parsePublication } from '../parse-publication.ts'
import { parseQuery } from '../parse-query.ts'
import { parseReader, parseStatus, parseVersions } from '../parse-version.ts'
import { linkedTypes } from '../linked-types.ts'
import { invalidValue } from '../query-error.ts'
import { assertPublicationShown } from '../shown-publication.ts'
import { bothFilters, withRuledTargets } from '../ruled-type.ts'
import type {
  Aggregate,
  Filter,
  LocaleRules,
  Page,
  Query,
  QueryRules,
  TextSearch,
  TypeVisibility,
} from '../query.ts'
import { type Parameters, readParameters } from './parameter-values.ts'
import { fill, type Given, parametersIn } from './places.ts'

/** Parts without parameters are parsed once. */
export interface NamedQuery {
  readonly definition: QueryDefinition
  readonly plan: ContentTypePlan
  readonly isOne: boolean
  readonly parameters: Parameters
  readonly shown: Pick<Query, 'fields' | 'populate' | 'sort'>
  /** Null if the response consists of entries. */
  readonly aggregate: Aggregate | null
  /** Contains sample values in place of parameters. */
  readonly filter: Filter | null
  readonly isFixed: boolean
  readonly page: Page
  /** Includes populated types and types on the path of conditions and sort keys. */
  readonly types: ReadonlySet<Uid>
  readonly takesLocale: boolean
  readonly takesFallback: boolean
  readonly takesStatus: boolean
}

export type BoundRules = Omit<QueryRules, 'format'>

export function shownOf(asked: Data, plan: ContentTypePlan): Data {
  const { aggregate } = asked
  if (isRecord(aggregate)) {
    return { fields: ['documentId'], populate: groupedRelations(aggregate, plan) }
  }
  const none = new Map<string, string>()
  return {
    fields: fill(asked['fields'], none),
    populate: fill(asked['populate'], none),
    ...(!asksNearest(asked['sort']) && { sort: fill(asked['sort'], none) }),
  }
}

export function bindQuery(query: NamedQuery, asked: Data, rules: BoundRules): Query {
  assertKnown(query, asked)
  const { definition } = query
  const given = readParameters(query.parameters, asked)
  const readable = definition.rules === 'caller' ? rules.readable : undefined
  const all: QueryRules = { ...rules, mayRead: () => true, readable, format: 'v5' }
  const version = versionOf(query, asked, rules.locales)
  const { plan, filter, condition, aggregate, ...shown } =
    readable === undefined
      ? unruledPart(query, given)
      : callersPart(query, given, { ...all, status: version['status'] })
  const selection = parseVersions(version, plan, filter, rules.locales)
  // The conditions of the file may hide entries.
  const conditions = bothFilters(condition, filter)
  const search = rankOf(definition.asked, plan, {
    given,
    rules: withRuledTargets(all, parseStatus(version['status'])),
    corrects: showsAllPublished(conditions, selection),
    version,
  })
  assertFacetLocale(search, selection)
  const nearest = search === null ? parseNearest(definition.asked['sort'], filter, plan) : null
  assertPublicationShown(version, { plan, populate: shown.populate }, all)
  return {
    plan,
    filter: conditions,
    ...shown,
    ...(search !== null && { search }),
    ...(nearest !== null && { nearest }),
    ...(aggregate !== null && { aggregate }),
    page: pageOf(query, given, { sort: search?.order ?? shown.sort, nearest }, all),
    version: selection,
    publication: parsePublication(version, plan),
    // Links are no part of the selection, so only those of the caller's own permissions are filled.
    reader: {
      ...parseReader(version, all),
      linked: linkedTypes(rules, parseStatus(version['status'])),
    },
  }
}

type NamedPart = Pick<Query, 'plan' | 'filter' | 'fields' | 'populate' | 'sort'> & {
  readonly condition: Filter | null
  readonly aggregate: Aggregate | null
}

function unruledPart(query: NamedQuery, given: Given): NamedPart {
  const { plan, shown, aggregate, isFixed, filter, definition } = query
  const conditions = isFixed ? filter : conditionsOf(definition.asked, plan, given)
  return { plan, filter: conditions, condition: null, aggregate, ...shown }
}

/** The parts of the query as the caller sees its types. @throws ValidationError for attributes that a rule hides */
function callersPart(
  { plan: type, definition: { asked } }: NamedQuery,
  given: Given,
  { status, ...rules }: QueryRules & { readonly status: unknown },
): NamedPart {
  const shown = parseQuery({ ...shownOf(asked, type), status }, type, rules)
  const { plan, filter: condition, fields, populate, sort } = shown
  const filter = conditionsOf(asked, plan, given, withRuledTargets(rules, parseStatus(status)))
  const aggregate = parseAggregate(asked, plan, populate)
  return { plan, filter, condition, aggregate, fields, populate, sort }
}

export function conditionsOf(
  asked: Data,
  plan: ContentTypePlan,
  given: Given,
  rules: TypeVisibility = { mayRead: () => true },
): Filter | null {
  const filter = parseFilters(fill(asked['filters'], given), plan, rules)
  const search = parseSearch(fill(asked['search'], given), plan)
  if (filter === null || search === null) return filter ?? search
  return { kind: 'all', of: [filter, search] }
}

interface Ranking extends SearchRights {
  readonly given: Given
  readonly version?: Data
}

/** The text whose relevance is the order of the entries. Null without a text: then `sort` applies. */
export function rankOf(
  asked: Data,
  plan: ContentTypePlan,
  { given, version = {}, ...rights }: Ranking,
): TextSearch | null {
  const [filters, _q] = [asked['filters'], asked['search']].map((one) => fill(one, given))
  const search = fill(asked['rank'], given)
  return parseTextSearch({ ...version, search, filters, _q }, plan, rights)
}

/** The declared facets, which have no parameters. */
export function facetsOf({ rank }: Data): unknown {
  return isRecord(rank) ? rank['facets'] : undefined
}

/** A query for one entry has a page of size 1. @throws ValidationError, PaginationError */
export function declaredPage(
  { asked, single }: Pick<QueryDefinition, 'asked' | 'single'>,
  given: Given,
  { sort, nearest }: ListOrder,
  rules: Pick<QueryRules, 'defaultLimit' | 'maxLimit'>,
): Page {
  if (single) return { kind: 'page', page: 1, pageSize: 1, withCount: false }
  const pagination = fill(asked['pagination'], given)
  const page = parsePagination({ pagination }, nearest?.order ?? sort, rules)
  assertNearPage(nearest, page)
  return page
}

function pageOf(query: NamedQuery, given: Given, order: ListOrder, rules: QueryRules): Page {
  const { definition, isOne, page } = query
  if (isOne || parametersIn(definition.asked['pagination']).length === 0) return page
  return declaredPage(definition, given, order, rules)
}

function assertKnown(query: NamedQuery, asked: Data): void {
  const names = parameterNames(query)
  const unknown = Object.keys(asked).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new ValidationError(
    `Invalid key ${shownName(unknown)}${didYouMean(unknown, names)}`,
    { key: unknown, path: unknown, source: 'query' },
    { code: 'invalid_key' },
  )
}

export function parameterNames(query: NamedQuery): readonly string[] {
  const { parameters, takesLocale, takesFallback, takesStatus } = query
  return [
    ...parameters.keys(),
    ...(takesLocale ? ['locale'] : []),
    ...(takesFallback ? ['fallbackLocale'] : []),
    ...(takesStatus ? ['status', 'publicationFilter'] : []),
  ]
}

/** The request decides the parameters that the declaration omits. */
function versionOf({ definition }: NamedQuery, asked: Data, locales: LocaleRules): Data {
  const { locale = asked['locale'], fallbackLocale } = definition
  if (definition.locale === undefined && locale !== undefined) assertLocale(locale, locales)
  const fallbacks = fallbackLocale?.filter((code) => code === '*' || locales.has(code)).join(',')
  const { status, publicationFilter } = asked
  return { locale, fallbackLocale: fallbacks ?? asked['fallbackLocale'], status, publicationFilter }
}

function assertLocale(locale: unknown, locales: LocaleRules): void {
  if (typeof locale !== 'string') throw invalidValue('locale', 'expected one code')
  if (locales.has(locale)) return
  const known = locales.all.map(({ code }) => code).join(', ')
  throw new ValidationError(
    `locale: ${locale} is not one of ${known}`,
    {},
    { code: 'unknown_locale' },
  )
}
