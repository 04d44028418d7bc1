import { CmsError } from '../../base/errors.ts'
import { didYouMean } from '../../base/near-miss.ts'
import type { Data, DeclarationProblem, QueryDefinition } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { parseFields } from '../parse-fields.ts'
import { parseFilters } from '../parse-filters.ts'
import { asksNearest, type ListOrder, parseNearest } from '../parse-order.ts'
import { parseSearch } from '../parse-search.ts'
import { parseSort } from '../parse-sort.ts'
import { parsePopulate } from '../populate/parse-populate.ts'
import type { QueryRules } from '../query.ts'
import { declaredPage, facetsOf, rankOf } from './named-query.ts'
import { defaultProblem, sampleValues } from './parameter-values.ts'
import { fill, type Given, parameterIn, parametersIn } from './places.ts'

type Attempt = readonly [path: string, parse: () => unknown]

const FIXED = ['populate', 'fields', 'sort'] as const

const PAGE_KEYS: ReadonlySet<string> = new Set([
  'page',
  'pageSize',
  'start',
  'limit',
  'cursor',
  'withCount',
])

export function findFaults(
  definition: QueryDefinition,
  plan: ContentTypePlan,
  rules: QueryRules,
): readonly DeclarationProblem[] {
  const places = [...findPlaceFaults(definition), ...findNullFaults(definition.asked)]
  if (places.length > 0) return places
  const parameters = new Map(Object.entries(definition.parameters))
  const attempts = sampleValues(parameters).flatMap((given) =>
    attemptsOf(definition, plan, rules, given),
  )
  const faults = new Map<string, DeclarationProblem>()
  for (const [path, parse] of attempts) {
    const problem = problemOf(parse)
    if (problem !== null && !faults.has(path)) faults.set(path, { path, problem })
  }
  return [...faults.values(), ...findPageFaults(definition)]
}

/** Parts are parsed separately, so that one fault does not hide another. */
function attemptsOf(
  definition: QueryDefinition,
  plan: ContentTypePlan,
  rules: QueryRules,
  given: Given,
): readonly Attempt[] {
  const { asked } = definition
  const filled = (key: string): unknown => fill(asked[key], given)
  const filters = memberParts(filled('filters'))
  const populate = memberParts(filled('populate'))
  return [
    ...filters.map(([path, part]): Attempt => [
      `filters${path}`,
      () => parseFilters(part, plan, rules),
    ]),
    ['search', () => parseSearch(filled('search'), plan)],
    ['rank', () => rankOf(asked, plan, { given, rules, corrects: false })],
    ['fields', () => parseFields(filled('fields'), plan)],
    ['sort', () => assertOrder(asked, given, plan, rules)],
    ...populate.map(([path, part]): Attempt => [
      `populate${path}`,
      () => parsePopulate(part, plan, rules),
    ]),
    ['pagination', () => declaredPage(definition, pageSamples(asked, given), UNORDERED, rules)],
  ]
}

const UNORDERED: ListOrder = { sort: [], nearest: null }

/** Faults of the filters have a path of their own. */
function assertOrder(asked: Data, given: Given, plan: ContentTypePlan, rules: QueryRules): void {
  const filters = fill(asked['filters'], given)
  const sort = fill(asked['sort'], given)
  if (!asksNearest(sort)) parseSort(sort, plan, rules)
  else if (problemOf(() => parseFilters(filters, plan, rules)) === null) {
    parseNearest(sort, parseFilters(filters, plan, rules), plan)
  }
}

/** A cursor cannot be sampled, so an empty one is used. */
export function pageSamples(asked: Data, given: Given): Given {
  const { cursor } = (asked['pagination'] ?? {}) as Data
  return new Map([...given, ...parametersIn(cursor).map((name) => [name, ''] as const)])
}

export function memberParts(value: unknown): readonly (readonly [path: string, part: unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [['', value]]
  return Object.entries(value).map(([key, inner]) => [`.${key}`, { [key]: inner as unknown }])
}

export function problemOf(parse: () => unknown): string | null {
  try {
    parse()
    return null
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
    return error.message
  }
}

function findPlaceFaults({ asked, parameters }: QueryDefinition): readonly DeclarationProblem[] {
  const names = Object.keys(parameters)
  const used = parametersIn(asked)
  const fixed = [
    ...FIXED.map((path) => [path, asked[path]] as const),
    ['rank.facets', facetsOf(asked)] as const,
  ]
  return [
    ...fixed.flatMap(([path, value]) =>
      parametersIn(value).map((name) => ({
        path,
        problem: `no parameter can stand here (${name}), but in filters, search, rank and pagination`,
      })),
    ),
    ...[...new Set(used)]
      .filter((name) => !names.includes(name))
      .map((name) => ({
        path: 'parameters',
        problem: `${name} is not declared${didYouMean(name, names)}`,
      })),
    ...names
      .filter((name) => !used.includes(name))
      .map((name) => ({ path: `parameters.${name}`, problem: 'is not used in the query' })),
    ...Object.entries(parameters).flatMap(([name, definition]) => {
      const problem = defaultProblem(name, definition)
      return problem === null ? [] : [{ path: `parameters.${name}.default`, problem }]
    }),
  ]
}

/** A query string cannot contain null. */
function findNullFaults(value: unknown, path = ''): readonly DeclarationProblem[] {
  if (value === null) return [{ path, problem: 'null is no operand; use $null: true' }]
  if (typeof value !== 'object' || parameterIn(value) !== null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    findNullFaults(inner, path === '' ? key : `${path}.${key}`),
  )
}

function findPageFaults({ asked, single }: QueryDefinition): readonly DeclarationProblem[] {
  const { pagination } = asked
  if (pagination === undefined) return []
  if (single) return [{ path: 'pagination', problem: 'one entry has no pages' }]
  const unknown = Object.keys(pagination as Data).filter((key) => !PAGE_KEYS.has(key))
  return unknown.map((key) => ({
    path: `pagination.${key}`,
    problem: `no such key${didYouMean(key, PAGE_KEYS)}`,
  }))
}
