import { sortPath } from './query-names.ts'
import { ValidationError } from '../base/errors.ts'
import type {
  ShapePlan,
  AttributePlan,
  ComponentAttributePlan,
  RelationPlan,
  ScalarPlan,
} from '../schema/plan.ts'
import { findMember } from './find-member.ts'
import { computedKey, unusableKey } from './query-error.ts'
import { ruledTarget } from './ruled-type.ts'
import type { SortKey, TypeVisibility } from './query.ts'

export const SORT_LIMITS = {
  keys: 20,
  relations: 5,
  /** Each to-many relation on the path of a key multiplies the lookups. */
  relationsToMany: 2,
  keysBehindMany: 1,
} as const

const DIRECTIONS: ReadonlyMap<unknown, SortKey['direction']> = new Map([
  ['asc', 'asc'],
  ['ASC', 'asc'],
  ['desc', 'desc'],
  ['DESC', 'desc'],
])

/** Accepts `a`, `a:desc`, `a,b:desc`, `{ a: 'desc' }`, and lists of one of these forms. @throws ValidationError */
export function parseSort(
  input: unknown,
  holder: ShapePlan,
  rules: TypeVisibility,
): readonly SortKey[] {
  if (input === undefined || input === '') return []
  const asked = sortEntries(input).map(([path, order]) =>
    sortKey(path.trim(), typeof order === 'string' ? order.trim() : order, holder, rules),
  )
  const paths = asked.map(sortPath)
  const keys = asked.filter((key, index) => paths.indexOf(sortPath(key)) === index)
  if (keys.length > SORT_LIMITS.keys) {
    throw new ValidationError(
      `sort takes at most ${SORT_LIMITS.keys} attributes`,
      {},
      { code: 'invalid_query' },
    )
  }
  assertOneList(keys)
  assertFewBehindMany(keys)
  return keys
}

/** Each such key multiplies the lookups per entry. */
function assertFewBehindMany(keys: readonly SortKey[]): void {
  const wide = keys.filter(({ through }) => toManyOf(through).length > 1)
  const beyond = wide[SORT_LIMITS.keysBehindMany]
  if (beyond === undefined) return
  throw new ValidationError(
    `sort: ${sortPath(beyond)} leads through two relations to many; at most ` +
      `${SORT_LIMITS.keysBehindMany} key of a request may`,
    {},
    { code: 'invalid_query' },
  )
}

function toManyOf(through: SortKey['through']): SortKey['through'] {
  return through.filter((step) => step.kind === 'relation' && step.toMany)
}

/** MongoDB rejects it ("cannot sort with keys that are parallel arrays"). */
function assertOneList(keys: readonly SortKey[]): void {
  const [first, second] = new Set(keys.flatMap((key) => listBehind(key) ?? []))
  if (second === undefined) return
  throw new ValidationError(
    `sort: ${first ?? ''} and ${second} are lists; cannot sort by two list attributes`,
    {},
    { code: 'invalid_query' },
  )
}

/** Null if the key has a single value. The server picks one target of a relation, so such keys never share a list. */
function listBehind(key: SortKey): string | null {
  const { through } = key
  const related = through.findLastIndex(({ kind }) => kind === 'relation')
  const last = through.findLastIndex((step) => step.kind === 'component' && step.repeatable)
  if (last <= related) return null
  if (related >= 0) return sortPath(key)
  return through
    .slice(0, last + 1)
    .map(({ name }) => name)
    .join('.')
}

/** The paths of a sort and their orders. @throws ValidationError for another form */
export function sortEntries(input: unknown): readonly (readonly [string, unknown])[] {
  if (typeof input === 'string') return input.split(',').flatMap(entryOfText)
  if (!Array.isArray(input)) return entriesOfObject(input, '')
  const items: readonly unknown[] = input
  const texts = items.filter((item) => typeof item === 'string').length
  if (texts > 0 && texts < items.length) {
    throw new ValidationError(
      'sort: texts and objects cannot be mixed in one list',
      {},
      { code: 'invalid_query' },
    )
  }
  return items.flatMap((item) => sortEntries(item))
}

function entryOfText(text: string): readonly (readonly [string, unknown])[] {
  const entry = text.trim()
  if (entry === '') return []
  const colon = entry.indexOf(':')
  if (colon === -1) return [[entry, undefined]]
  return [[entry.slice(0, colon), entry.slice(colon + 1)]]
}

function entriesOfObject(input: unknown, prefix: string): readonly (readonly [string, unknown])[] {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    throw new ValidationError(
      'sort: expected a text, an object or a list of either',
      {},
      { code: 'invalid_query' },
    )
  }
  return Object.entries(input).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string'
      ? [[`${prefix}${key}`, value] as const]
      : entriesOfObject(value, `${prefix}${key}.`),
  )
}

function sortKey(path: string, order: unknown, holder: ShapePlan, rules: TypeVisibility): SortKey {
  const names = path.split('.')
  const through: (RelationPlan | ComponentAttributePlan)[] = []
  let within = holder
  for (const [index, name] of names.entries()) {
    const parent = index === 0 ? null : names.slice(0, index).join('.')
    const attribute = findMember(name, within, parent, 'sort', (member) =>
      member.kind === 'scalar' ? isSortable(member) : stepOf(member, rules) !== null,
    )
    const isLast = index === names.length - 1
    if (attribute.kind === 'scalar' && isLast) {
      if (attribute.computed !== undefined) throw computedKey(name, parent, 'sort')
      if (attribute.type === 'location') {
        throw unusableKey(name, parent, 'sort', ': only a list sorts by a location, with near')
      }
      return { through, attribute, direction: directionOf(order) }
    }
    const step = isLast ? null : stepOf(attribute, rules)
    if (step === null) throw unusableKey(name, parent, 'sort')
    through.push(step)
    assertBounded(path, through)
    within = step.kind === 'relation' ? sortedTarget(path, step, rules) : step.component()
  }
  throw unusableKey(path, null, 'sort')
}

/** The lookups run for all entries before the first page is cut. */
function assertBounded(
  path: string,
  through: readonly (RelationPlan | ComponentAttributePlan)[],
): void {
  const relations = through.filter((step) => step.kind === 'relation')
  if (relations.length > SORT_LIMITS.relations) {
    throw new ValidationError(
      `sort: ${path} leads through more than ${SORT_LIMITS.relations} relations`,
    )
  }
  if (toManyOf(through).length > SORT_LIMITS.relationsToMany) {
    throw new ValidationError(
      `sort: ${path} leads through more than ${SORT_LIMITS.relationsToMany} relations to many`,
    )
  }
}

/** @throws ValidationError if a rule hides targets, because the order would reveal their values */
function sortedTarget(path: string, step: RelationPlan, rules: TypeVisibility): ShapePlan {
  const { plan, condition } = ruledTarget(step.target(), rules)
  if (plan.adopted !== undefined) {
    throw new ValidationError(
      `sort: ${path} leads to ${plan.singularName}, whose collection another service writes`,
      { key: path, path, source: 'query', param: 'sort' },
      { code: 'invalid_query' },
    )
  }
  if (condition === null) return plan
  throw new ValidationError(
    `sort: ${path} leads to ${plan.uid}, whose entries a rule of your permission hides`,
    { key: path, path, source: 'query', param: 'sort' },
    { code: 'invalid_query' },
  )
}

/** Null for an attribute that a sort path cannot traverse. */
function stepOf(
  attribute: AttributePlan,
  rules: TypeVisibility,
): RelationPlan | ComponentAttributePlan | null {
  if (attribute.kind === 'component') return attribute
  if (attribute.kind === 'media') return attribute.files
  return attribute.kind === 'relation' && rules.mayRead(attribute.targetUid) ? attribute : null
}

/** Locations have no order but `near`. */
function isSortable({ computed, type }: ScalarPlan): boolean {
  return computed === undefined && type !== 'location'
}

function directionOf(order: unknown): SortKey['direction'] {
  const direction = DIRECTIONS.get(order ?? 'asc')
  if (direction === undefined) {
    throw new ValidationError(
      'Invalid order. order can only be one of asc|desc|ASC|DESC',
      {},
      { code: 'invalid_query' },
    )
  }
  return direction
}
