import { ValidationError } from '../base/errors.ts'
import { toStoredName } from '../schema/compile-attributes.ts'
import type { ComponentAttributePlan, ContentTypePlan, ScalarPlan } from '../schema/plan.ts'
import type { Location } from '../schema/values/location.ts'
import type { Area, Circle, Everywhere } from './area.ts'
import { findMember } from './find-member.ts'
import { parseSort, sortEntries } from './parse-sort.ts'
import { invalidValue, unusableKey } from './query-error.ts'
import type { Filter, NearestOrder, Page, SortKey, TypeVisibility } from './query.ts'

const NEAR = 'near'

/** More entries would have to be sorted for each page. Pages by cursor have no such limit. */
export const MAX_NEAREST = 10_000

export interface ListOrder {
  /** Ends in `id`, so that every order is total; in `documentId` if the type has no ids. */
  readonly sort: readonly SortKey[]
  readonly nearest: NearestOrder | null
}

/** `filter` holds the conditions of the request, without those of a rule. @throws ValidationError */
export function parseOrder(
  input: unknown,
  filter: Filter | null,
  plan: ContentTypePlan,
  rules: TypeVisibility,
): ListOrder {
  const nearest = parseNearest(input, filter, plan)
  const sort = nearest === null ? parseSort(input, plan, rules) : []
  return { sort: withTieBreak(sort, plan), nearest }
}

export function asksNearest(input: unknown): boolean {
  return input !== undefined && sortEntries(input).some(([, order]) => isNear(order))
}

/** `sort=at:near` takes its point from the `$near` of the same attribute. Null for another order. */
export function parseNearest(
  input: unknown,
  filter: Filter | null,
  plan: ContentTypePlan,
): NearestOrder | null {
  if (!asksNearest(input)) return null
  const [entry, ...others] = sortEntries(input)
  if (entry === undefined || others.length > 0) {
    throw invalidValue('sort', 'near has no other keys beside it')
  }
  const path = entry[0].trim()
  const steps = locationSteps(path, plan)
  const areas = nearAreasOf(filter, steps)
  const [area] = areas
  if (area === undefined || areas.length > 1) throw pointFault(path, areas.length)
  const { center } = area
  const maxDistance = area.kind === 'circle' ? area.radius : Infinity
  const stored = steps.map(({ storedName }) => storedName).join('.')
  return { path: stored, center, maxDistance, order: orderOf(stored, center, plan) }
}

/** @throws ValidationError for a page that is too far from the first */
export function assertNearPage(nearest: NearestOrder | null, page: Page): void {
  if (nearest === null || page.kind === 'cursor') return
  const end = page.kind === 'page' ? page.page * page.pageSize : page.start + page.limit
  if (end <= MAX_NEAREST) return
  throw invalidValue(
    'pagination',
    `an order by distance has at most ${MAX_NEAREST} entries in pages; use pagination[cursor]`,
  )
}

function isNear(order: unknown): boolean {
  return typeof order === 'string' && order.trim() === NEAR
}

type LocationSteps = readonly (ComponentAttributePlan | ScalarPlan)[]

/** A list of components has several locations, and so no distance. */
function locationSteps(path: string, plan: ContentTypePlan): LocationSteps {
  const names = path.split('.')
  const steps: (ComponentAttributePlan | ScalarPlan)[] = []
  let holder: Parameters<typeof findMember>[1] = plan
  for (const [index, name] of names.entries()) {
    const parent = index === 0 ? null : names.slice(0, index).join('.')
    const member = findMember(
      name,
      holder,
      parent,
      'sort',
      (one) => one.kind === 'component' || (one.kind === 'scalar' && one.type === 'location'),
    )
    const isLast = index === names.length - 1
    if (isLast && member.kind === 'scalar' && member.type === 'location') {
      return [...steps, member]
    }
    if (isLast || member.kind !== 'component' || member.repeatable) {
      throw unusableKey(name, parent, 'sort', ': near sorts by one location of the entry')
    }
    steps.push(member)
    holder = member.component()
  }
  throw unusableKey(path, null, 'sort')
}

type NearArea = Circle | Everywhere

/** Only of conditions that every entry of the list meets, so that every entry has a distance. */
function nearAreasOf(filter: Filter | null, steps: LocationSteps): readonly NearArea[] {
  const [step, ...rest] = steps
  if (filter === null || step === undefined) return []
  if (filter.kind === 'all') return filter.of.flatMap((one) => nearAreasOf(one, steps))
  if (filter.kind === 'within') {
    return filter.component.storedName === step.storedName ? nearAreasOf(filter.of, rest) : []
  }
  if (filter.kind !== 'compare' || rest.length > 0) return []
  return filter.attribute.storedName === step.storedName ? nearAreaOf(filter) : []
}

function nearAreaOf({
  operator,
  operand,
}: Extract<Filter, { kind: 'compare' }>): readonly NearArea[] {
  if (operator !== 'near') return []
  const area = operand as Area // of the parser, for this operator
  return area.kind === 'circle' || area.kind === 'everywhere' ? [area] : []
}

function pointFault(path: string, count: number): ValidationError {
  const filter = path
    .split('.')
    .map((name) => `[${name}]`)
    .join('')
  return new ValidationError(
    `sort: ${path}:near needs ${count > 1 ? 'only one' : 'the point of'} filters${filter}[$near]` +
      (count > 1 ? '' : ', outside of $or and $not'),
    { key: path, path, source: 'query', param: 'sort' },
    { code: 'invalid_query' },
  )
}

/** The order of cursors. The name holds the point, so that a cursor never continues the order around another one. */
function orderOf(
  path: string,
  { latitude, longitude }: Location,
  plan: ContentTypePlan,
): readonly SortKey[] {
  const id = idOf(plan)
  const name = `distance ${path} ${latitude} ${longitude}`
  const distance = { ...id, name, storedName: toStoredName(name), type: 'float' as const }
  return [
    { through: [], attribute: distance, direction: 'asc' },
    { through: [], attribute: id, direction: 'asc' },
  ]
}

/** Appends `id` in the direction of the last key, so that one index serves an order and its reverse. */
function withTieBreak(sort: readonly SortKey[], plan: ContentTypePlan): readonly SortKey[] {
  const id = idOf(plan)
  if (sort.some(({ attribute, through }) => attribute.name === id.name && through.length === 0))
    return sort
  const direction = sort.at(-1)?.direction ?? 'asc'
  return [...sort, { through: [], attribute: id, direction }]
}

function idOf(plan: ContentTypePlan): ScalarPlan {
  const hasIds = plan.adopted === undefined || plan.adopted.idKind === 'number'
  const id = plan.members.get(hasIds ? 'id' : 'documentId')
  if (id?.kind !== 'scalar') throw new Error(`${plan.uid} has no id`)
  return id
}
