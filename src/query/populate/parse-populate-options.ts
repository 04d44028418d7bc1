import { ValidationError } from '../../base/errors.ts'
import { didYouMean } from '../../base/near-miss.ts'
import type { ShapePlan } from '../../schema/plan.ts'
import { booleanOf } from '../../schema/values/attribute-kinds.ts'
import { parseFields } from '../parse-fields.ts'
import { parseFilters } from '../parse-filters.ts'
import { parsePagination } from '../parse-pagination.ts'
import { parseSort } from '../parse-sort.ts'
import { invalidValue, unknownKey, unusableKey } from '../query-error.ts'
import type {
  FieldSelection,
  Filter,
  QueryRules,
  RelationNode,
  SortKey,
  TypeVisibility,
} from '../query.ts'

export type Options = ReadonlyMap<string, unknown>

export const FRAGMENT_OPTIONS: ReadonlySet<string> = new Set([
  'fields',
  'filters',
  'sort',
  'populate',
])

const PARAM = 'populate'
const RANGE_KEYS: ReadonlySet<string> = new Set(['page', 'pageSize', 'start', 'limit'])

export function assertOptions(options: Options, known: ReadonlySet<string>, path: string): void {
  for (const option of options.keys()) {
    if (option === 'locale') throw unusableKey(option, path, PARAM)
    if (!known.has(option)) throw unknownKey(option, path, PARAM, didYouMean(option, known))
  }
}

/** `within` runs the parser of one option. @throws ValidationError like `fields`, `filters` and `sort` at the root. */
export function parseEntryOptions(
  options: Options,
  holder: ShapePlan,
  rules: TypeVisibility,
  within: <T>(option: string, parse: () => T) => T,
): {
  readonly fields: FieldSelection
  readonly filter: Filter | null
  readonly sort: readonly SortKey[]
} {
  return namingPopulate(() => ({
    fields: within('fields', () => parseFields(options.get('fields'), holder)),
    filter: within('filters', () => parseFilters(options.get('filters'), holder, rules)),
    sort: within('sort', () => parseSort(options.get('sort'), holder, rules)),
  }))
}

/** Components are filtered and sorted in memory. @throws ValidationError for a path through a relation */
export function assertWithinComponent(
  { filter, sort }: { readonly filter: Filter | null; readonly sort: readonly SortKey[] },
  path: string,
): void {
  const isThrough = sort.some(({ through }) => through.some(({ kind }) => kind === 'relation'))
  if (!isThrough && (filter === null || !asksRelated(filter))) return
  throw invalidValue(
    `populate[${path}]`,
    'components cannot be filtered or sorted through a relation',
  )
}

export function asksRelated(filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.some(asksRelated)
    case 'not':
    case 'within':
      return asksRelated(filter.of)
    case 'related':
      return true
    case 'compare':
      return false
  }
}

export function parseCount(options: Options, path: string): boolean {
  const value = options.get('count')
  if (value === undefined) return false
  const counts = typeof value === 'boolean' ? value : booleanOf(value)
  if (counts === undefined) throw invalidValue(`populate[${path}][count]`, 'expected true or false')
  return counts
}

/** Uses the default and maximum of the root. @throws PaginationError for mixed pages and offsets, ValidationError */
export function parseRange(
  options: Options,
  path: string,
  rules: Pick<QueryRules, 'defaultLimit' | 'maxLimit'>,
): RelationNode['range'] {
  const pagination = options.get('pagination')
  if (pagination === undefined) return null
  if (pagination !== null && typeof pagination === 'object' && !Array.isArray(pagination)) {
    assertOptions(new Map(Object.entries(pagination)), RANGE_KEYS, `${path}.pagination`)
  }
  const page = parsePagination({ pagination }, [], rules)
  switch (page.kind) {
    case 'offset':
      return { start: page.start, limit: page.limit }
    case 'page':
      return { start: (page.page - 1) * page.pageSize, limit: page.pageSize }
    case 'cursor':
      throw new Error('a cursor cannot be combined with a range')
  }
}

function namingPopulate<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ValidationError) || error.details?.['param'] === undefined) throw error
    throw new ValidationError(
      error.message,
      { ...error.details, param: PARAM },
      { code: error.errorCode },
    )
  }
}
