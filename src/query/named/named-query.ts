import { shownName, ValidationError } from '../../base/errors.ts'
import { didYouMean } from '../../base/near-miss.ts'
import type { Data, QueryDefinition, Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { parseFilters } from '../parse-filters.ts'
import { parseSearch } from '../parse-search.ts'
import { parsePagination } from '../parse-pagination.ts'
import { parsePublication } from '../parse-publication.ts'
import { parseReader, parseVersions } from '../parse-version.ts'
import { invalidValue } from '../query-error.ts'
import type { Filter, LocaleRules, Page, Query, QueryRules } from '../query.ts'
import { type Parameters, readParameters } from './parameter-values.ts'
import { fill, type Given, parametersIn } from './places.ts'

/** Parts without parameters are parsed once. */
export interface NamedQuery {
  readonly definition: QueryDefinition
  readonly plan: ContentTypePlan
  readonly isOne: boolean
  readonly parameters: Parameters
  readonly shown: Pick<Query, 'fields' | 'populate' | 'sort'>
  /** Contains sample values in place of parameters. */
  readonly filter: Filter | null
  /** If true, `filter` applies to every request. */
  readonly isFixed: boolean
  readonly page: Page
  /** Includes populated types and types on the path of conditions and sort keys. */
  readonly types: ReadonlySet<Uid>
  /** Whether requests may choose a locale. */
  readonly takesLocale: boolean
  readonly takesFallback: boolean
  /** If true, requests may choose a status and a publication filter. */
  readonly takesStatus: boolean
}

/** Permission to run the query includes reading its selection. */
export type BoundRules = Omit<QueryRules, 'mayRead' | 'format'>

/** @throws ValidationError for an unknown, missing or invalid parameter. */
export function bindQuery(query: NamedQuery, asked: Data, rules: BoundRules): Query {
  assertKnown(query, asked)
  const { plan, shown, definition } = query
  const given = readParameters(query.parameters, asked)
  const all: QueryRules = { ...rules, mayRead: () => true, format: 'v5' }
  const version = versionOf(query, asked, rules.locales)
  const filter = query.isFixed ? query.filter : conditionsOf(definition.asked, plan, given)
  return {
    plan,
    filter,
    ...shown,
    page: pageOf(query, given, all),
    version: parseVersions(version, plan, filter, rules.locales),
    publication: parsePublication(version, plan),
    reader: parseReader(version, all),
  }
}

/** @throws ValidationError */
export function conditionsOf(asked: Data, plan: ContentTypePlan, given: Given): Filter | null {
  const filter = parseFilters(fill(asked['filters'], given), plan, { mayRead: () => true })
  const search = parseSearch(fill(asked['search'], given), plan)
  if (filter === null || search === null) return filter ?? search
  return { kind: 'all', of: [filter, search] }
}

/** A query for one entry has a page of size 1. @throws ValidationError, PaginationError */
export function declaredPage(
  { asked, single }: Pick<QueryDefinition, 'asked' | 'single'>,
  given: Given,
  sort: Query['sort'],
  rules: Pick<QueryRules, 'defaultLimit' | 'maxLimit'>,
): Page {
  if (single) return { kind: 'page', page: 1, pageSize: 1, withCount: false }
  return parsePagination({ pagination: fill(asked['pagination'], given) }, sort, rules)
}

function pageOf(query: NamedQuery, given: Given, rules: QueryRules): Page {
  const { definition, isOne, shown, page } = query
  if (isOne || parametersIn(definition.asked['pagination']).length === 0) return page
  return declaredPage(definition, given, shown.sort, rules)
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
