import { ValidationError } from '../../../base/errors.ts'
import type { Data } from '../../../schema/definition.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'
import { parseFilters } from '../../../query/parse-filters.ts'
import { invalidValue, unknownKey } from '../../../query/query-error.ts'
import type { FieldSelection, Filter, Status } from '../../../query/query.ts'

export interface SyncScope {
  readonly types: readonly SyncedType[]
  /** Codes as requested. `*` selects all locales, `default` the default locale. */
  readonly locales: readonly string[] | '*' | 'default'
  readonly status: Status
  readonly limit: number
  /** The original parameters. The token carries them, and every request parses them again. */
  readonly asked: Data
  /** Requested names without a content-type. The type was deleted or is not known yet. */
  readonly absent: readonly string[]
  /** All content-types, because links in blocks can lead out of the scope. */
  readonly known: ReadonlyMap<string, ContentTypePlan>
}

export interface SyncedType {
  readonly name: string
  readonly plan: ContentTypePlan
  readonly fields: FieldSelection
  readonly filter: Filter | null
}

export const SYNC_LIMITS = { types: 50, locales: 20, rows: 1_000, usualRows: 500 } as const

const PARAMETERS: ReadonlySet<string> = new Set([
  'types',
  'locale',
  'status',
  'fields',
  'filters',
  'limit',
])

export function syncedTypes(
  contentTypes: Iterable<ContentTypePlan>,
): ReadonlyMap<string, ContentTypePlan> {
  const types = new Map<string, ContentTypePlan>()
  for (const plan of contentTypes) {
    if (plan.uid.startsWith('api::') && plan.adopted?.isFollowed !== false)
      types.set(plan.singularName, plan)
    if (plan.uid === FILE) types.set('upload.file', plan)
  }
  return types
}

const FILE = 'plugin::upload.file'

export function parseScope(asked: Data, known: ReadonlyMap<string, ContentTypePlan>): SyncScope {
  const stray = Object.keys(asked).find((name) => !PARAMETERS.has(name))
  if (stray !== undefined) throw invalidValue(stray, 'no such parameter')
  const names = typeNamesOf(asked)
  if (names.length === 0) throw invalidValue('types', 'expected names of content-types')
  const fields = membersOf(asked['fields'], 'fields', names)
  const filters = membersOf(asked['filters'], 'filters', names)
  return {
    types: names.map((name) => {
      const plan = known.get(name)
      if (plan === undefined)
        throw invalidValue('types', `there is no content-type ${name} to sync`)
      return {
        name,
        plan,
        fields: parseMembers(fields[name], name, plan),
        filter: parseOwnFilter(filters[name], plan),
      }
    }),
    locales: parseLocales(asked['locale']),
    status: parseStatus(asked['status']),
    limit: parseLimit(asked['limit']),
    asked,
    absent: [],
    known,
  }
}

export function typeNamesOf(asked: Data): readonly string[] {
  return textsOf(asked['types'], 'types', SYNC_LIMITS.types)
}

function parseLocales(input: unknown): SyncScope['locales'] {
  if (input === undefined) return 'default'
  return input === '*' ? '*' : textsOf(input, 'locale', SYNC_LIMITS.locales)
}

function parseStatus(input: unknown): Status {
  if (input === undefined) return 'published'
  if (input === 'published' || input === 'draft') return input
  throw invalidValue('status', 'expected draft or published')
}

function parseLimit(input: unknown): number {
  if (input === undefined) return SYNC_LIMITS.usualRows
  const limit = typeof input === 'string' && /^\d{1,4}$/.test(input) ? Number(input) : 0
  if (limit >= 1 && limit <= SYNC_LIMITS.rows) return limit
  throw invalidValue('limit', `expected a number from 1 to ${SYNC_LIMITS.rows}`)
}

function membersOf(input: unknown, param: 'fields' | 'filters', names: readonly string[]): Data {
  if (input === undefined) return {}
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalidValue(param, `expected ${param}[<type>]`)
  }
  const stray = Object.keys(input).find((name) => !names.includes(name))
  if (stray !== undefined) throw invalidValue(`${param}[${stray}]`, 'types does not name it')
  return input as Data
}

function parseMembers(input: unknown, name: string, plan: ContentTypePlan): FieldSelection {
  if (input === undefined) return 'all'
  const names = textsOf(input, `fields[${name}]`, 1_000)
  for (const one of names) {
    const member = plan.members.get(one)
    const isHidden = member === undefined || member.private
    const isInverse = member?.kind === 'relation' && member.side === 'inverse'
    if (isHidden || isInverse) throw unknownKey(one, name, 'fields')
  }
  return names
}

/** Conditions on other documents would require look-ups for each change. */
function parseOwnFilter(input: unknown, plan: ContentTypePlan): Filter | null {
  const filter = parseFilters(input, plan, { mayRead: () => false })
  if (filter !== null) assertOwn(filter)
  return filter
}

function assertOwn(filter: Filter): void {
  switch (filter.kind) {
    case 'all':
    case 'any':
      for (const one of filter.of) assertOwn(one)
      return
    case 'not':
      assertOwn(filter.of)
      return
    case 'compare':
      return
    case 'related':
      throw unknownKey(filter.relation.name, null, 'filters')
    case 'within':
      throw unknownKey(filter.component.name, null, 'filters')
  }
}

function textsOf(input: unknown, path: string, most: number): readonly string[] {
  const texts = typeof input === 'string' ? input.split(',').map((one) => one.trim()) : input
  const isList = Array.isArray(texts) && texts.every((one) => typeof one === 'string')
  if (!isList || texts.includes('')) throw invalidValue(path, 'expected names, with commas between')
  const once = [...new Set(texts as readonly string[])]
  if (once.length > most)
    throw new ValidationError(`${path}: at most ${most}`, {}, { code: 'invalid_query' })
  return once
}
