import { isRecord } from '../base/is-record.ts'
import type { Data, ScalarType } from '../schema/definition.ts'
import type { AttributePlan, ContentTypePlan, ScalarPlan } from '../schema/plan.ts'
import { findMember } from './find-member.ts'
import { unusableKey } from './query-error.ts'
import {
  type Aggregate,
  type GroupKey,
  type Measure,
  MEASURES,
  type PopulateNode,
  type Query,
  type RelationNode,
} from './query.ts'

export const AGGREGATE_LIMITS = {
  groups: 1_000,
  /** Each one multiplies the groups. */
  relationsToMany: 1,
} as const

export type GroupedQuery = Query & { readonly aggregate: Aggregate }

export function isGroupedQuery(query: Query): query is GroupedQuery {
  return query.aggregate !== undefined
}

const GROUPED: ReadonlySet<ScalarType> = new Set(['enumeration', 'boolean'])
const DATED: ReadonlySet<ScalarType> = new Set(['date', 'datetime', 'timestamp'])
const ADDED: ReadonlySet<ScalarType> = new Set(['integer', 'biginteger', 'float', 'decimal'])
const COMPARED: ReadonlySet<ScalarType> = new Set([...ADDED, ...DATED, 'time'])

/** Null without an aggregate. @throws ValidationError for attributes that it cannot use, and for private ones */
export function parseAggregate(
  asked: Data,
  plan: ContentTypePlan,
  populate: readonly PopulateNode[],
): Aggregate | null {
  const { aggregate } = asked
  if (!isRecord(aggregate)) return null
  return {
    groupBy: namesIn(aggregate, 'groupBy').map((text) => parseGroupKey(text, plan, populate)),
    counts: aggregate['count'] === true,
    measures: MEASURES.flatMap((of) =>
      namesIn(aggregate, of).map((name) => ({ of, attribute: parseMeasured(of, name, plan) })),
    ),
  }
}

export function namesIn(aggregate: Data, member: string): readonly string[] {
  return (aggregate[member] ?? []) as readonly string[]
}

/** The JSON form of `populate` for the relations that the aggregate groups by. */
export function groupedRelations(aggregate: Data, { members }: ContentTypePlan): Data {
  const relations = namesIn(aggregate, 'groupBy').filter(
    (name) => members.get(name)?.kind === 'relation',
  )
  return Object.fromEntries(relations.map((name) => [name, { fields: ['documentId'] }]))
}

/** `category`, or `publishedAt:month` for dates. */
export function parseGroupKey(
  text: string,
  plan: ContentTypePlan,
  populate: readonly PopulateNode[],
): GroupKey {
  const [name = '', ...units] = text.split(':')
  const member = findMember(name, plan, null, 'aggregate', isGroupable)
  if (member.kind === 'scalar' && DATED.has(member.type)) {
    return { kind: unitOf(name, units), name, attribute: member }
  }
  if (units.length > 0) throw unusable(name, 'only dates have :day and :month')
  if (isGroupedValue(member)) {
    return { kind: 'value', name, attribute: member }
  }
  const node = populate.find(
    (one): one is RelationNode => one.kind === 'relation' && one.relation.name === name,
  )
  if (node?.relation.target().adopted !== undefined) {
    throw unusable(name, 'another service writes the collection of its target')
  }
  if (node !== undefined) return { kind: 'relation', name, node }
  throw unusable(name, 'expected a relation, an enumeration, a boolean or a date')
}

function unitOf(name: string, [unit, ...others]: readonly string[]): 'day' | 'month' {
  if (others.length === 0 && (unit === 'day' || unit === 'month')) return unit
  throw unusable(name, `dates are grouped by ${name}:day or ${name}:month`)
}

export function parseMeasured(of: Measure['of'], name: string, plan: ContentTypePlan): ScalarPlan {
  const member = findMember(name, plan, null, 'aggregate', (one) => isMeasurable(of, one))
  if (member.kind === 'scalar' && isMeasurable(of, member)) return member
  const expected = isAdding(of) ? 'a number' : 'a number, a date or a time'
  throw unusable(name, `${of} expects ${expected}`)
}

function isGroupable(member: AttributePlan): boolean {
  if (member.kind !== 'scalar') return member.kind === 'relation'
  return isStored(member) && (GROUPED.has(member.type) || DATED.has(member.type))
}

/** An enumeration or a boolean. */
export function isGroupedValue(member: AttributePlan): member is ScalarPlan {
  return member.kind === 'scalar' && isStored(member) && GROUPED.has(member.type)
}

function isMeasurable(of: Measure['of'], member: AttributePlan): boolean {
  return (
    member.kind === 'scalar' &&
    isStored(member) &&
    (isAdding(of) ? ADDED : COMPARED).has(member.type)
  )
}

function isAdding(of: Measure['of']): boolean {
  return of === 'avg' || of === 'sum'
}

function isStored({ computed }: ScalarPlan): boolean {
  return computed === undefined
}

function unusable(name: string, hint: string): Error {
  return unusableKey(name, null, 'aggregate', `: ${hint}`)
}
