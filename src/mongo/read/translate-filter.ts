import { BSON, type Document } from 'mongodb'
import type { Area } from '../../query/area.ts'
import type { Comparison, Filter, Operator, RelatedFilter, SortKey } from '../../query/query.ts'
import type { Data, ScalarType } from '../../schema/definition.ts'
import { toBson } from '../versions/stored-value.ts'
import { compileSelection } from '@quire/engine/filter'
import type { ComponentPlan } from '../../schema/plan.ts'
import { translateArea } from './translate-area.ts'
import { toStoredNames } from '../versions/row-names.ts'

type Condition = (operand: unknown) => Document

/** As in MongoDB, negative operators also match null and missing values. */
const CONDITIONS = {
  eq: (operand) => ({ $eq: operand }),
  ne: (operand) => ({ $ne: operand }),
  lt: (operand) => ({ $lt: operand }),
  lte: (operand) => ({ $lte: operand }),
  gt: (operand) => ({ $gt: operand }),
  gte: (operand) => ({ $gte: operand }),
  in: (operand) => ({ $in: operand }),
  notIn: (operand) => ({ $nin: operand }),
  between: (operand) => between(operand),
  null: (operand) => (operand === true ? { $eq: null } : { $ne: null }),
  notNull: (operand) => (operand === true ? { $ne: null } : { $eq: null }),
  eqi: (operand) => search(`^${literal(operand)}${TEXT_END}`, 'i'),
  nei: (operand) => ({ $not: search(`^${literal(operand)}${TEXT_END}`, 'i') }),
  contains: (operand) => search(literal(operand)),
  notContains: (operand) => ({ $not: search(literal(operand)) }),
  containsi: (operand) => search(literal(operand), 'i'),
  notContainsi: (operand) => ({ $not: search(literal(operand), 'i') }),
  startsWith: (operand) => search(`^${literal(operand)}`),
  startsWithi: (operand) => search(`^${literal(operand)}`, 'i'),
  endsWith: (operand) => search(`${literal(operand)}${TEXT_END}`),
  endsWithi: (operand) => search(`${literal(operand)}${TEXT_END}`, 'i'),
} satisfies Record<Exclude<Operator, 'near' | 'within'>, Condition> // these take an `Area`

/** Matches only at the very end of the text. `$` would also match before a trailing line break. */
export const TEXT_END = '(?![\\s\\S])'

export function translateFilter(
  filter: Filter,
  resolved: ResolvedRelations = new Map(),
  prefix = '',
): Document {
  const translate = (inner: Filter): Document => translateFilter(inner, resolved, prefix)
  switch (filter.kind) {
    case 'all':
      return matchAll(filter.of.map(translate))
    case 'any':
      return matchAny(filter.of.map(translate))
    case 'not':
      return { $nor: [translate(filter.of)] }
    case 'compare':
      return translateComparison(filter, prefix)
    case 'within':
      return translateWithin(filter, resolved, prefix)
    case 'related':
      return translateRelated(filter, resolved, prefix)
  }
}

/** The matching documentIds, or a `$lookup` stage that stores the matches in the field `as`. */
export type ResolvedRelation =
  readonly string[] | { readonly as: string; readonly lookup: Document }

export type ResolvedRelations = ReadonlyMap<RelatedFilter, ResolvedRelation>

function translateWithin(
  { component, of }: Extract<Filter, { readonly kind: 'within' }>,
  resolved: ResolvedRelations,
  prefix: string,
): Document {
  const path = `${prefix}${component.storedName}`
  if (component.repeatable) {
    const element = matchAll([{ id: { $ne: null } }, translateFilter(of, resolved)])
    return { [path]: { $elemMatch: element } }
  }
  return matchAll([{ [`${path}.id`]: { $ne: null } }, translateFilter(of, resolved, `${path}.`)])
}

function translateRelated(
  filter: RelatedFilter,
  resolved: ResolvedRelations,
  prefix: string,
): Document {
  const found = resolved.get(filter)
  const { relation } = filter
  if (found === undefined) throw new Error(`${relation.name} was not resolved`)
  if ('lookup' in found) return { [found.as]: { $ne: [] } }
  const path = relation.side === 'owner' ? `${prefix}${relation.storedName}` : 'documentId'
  return { [path]: { $in: [...found] } }
}

/** `$and`, so that two conditions on one attribute do not overwrite each other. */
export function matchAll(conditions: readonly Document[]): Document {
  const [only, ...rest] = conditions.filter((condition) => Object.keys(condition).length > 0)
  if (only === undefined) return {}
  return rest.length === 0 ? only : { $and: [only, ...rest] }
}

export function matchAny(conditions: readonly Document[]): Document {
  return conditions.length === 0 ? MATCH_NONE : { $or: [...conditions] }
}

const MATCH_NONE: Document = { _id: { $in: [] } }

function translateComparison(
  { attribute, operator, operand }: Comparison,
  prefix: string,
): Document {
  const name = `${prefix}${attribute.storedName}`
  // The parser makes areas for these operators only.
  if (operator === 'near' || operator === 'within') return translateArea(name, operand as Area)
  return MAY_BE_LISTS.has(attribute.type)
    ? translateWhole(name, operator, toBson(operand))
    : { [name]: CONDITIONS[operator](toBson(operand)) }
}

/** Types with values that may be lists. MongoDB would compare each item of such a list. */
export const MAY_BE_LISTS: ReadonlySet<ScalarType> = new Set<ScalarType>(['json', 'blocks'])

function translateWhole(name: string, operator: Operator, operand: unknown): Document {
  if (operator === 'null' || operator === 'notNull') {
    const isNull = isWhole(name, null)
    return (operator === 'null') === operand ? isNull : { $nor: [isNull] }
  }
  const values = operator === 'in' || operator === 'notIn' ? (operand as unknown[]) : [operand]
  const isOne = matchAny(values.map((value) => isWhole(name, value)))
  return operator === 'ne' || operator === 'notIn' ? { $nor: [isOne] } : isOne
}

/** `$eq` also matches lists that contain the value. No value contains itself. */
function isWhole(name: string, value: unknown): Document {
  return { [name]: { $eq: value, $not: { $elemMatch: { $eq: value } } } }
}

function between(operand: unknown): Document {
  const [from, to] = operand as readonly [unknown, unknown] // the parser asserts exactly two
  return { $gte: from, $lte: to }
}

function search(pattern: string, options?: 'i'): Document {
  return options === undefined ? { $regex: pattern } : { $regex: pattern, $options: options }
}

/** Escapes all special characters of PCRE and JavaScript patterns. */
export function literal(operand: unknown): string {
  return String(operand).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

export type ElementSelection = (elements: readonly Data[]) => readonly Data[]

/** No query can select embedded elements, so the native engine applies the filter and the sort. */
export function compileElementSelection(
  component: ComponentPlan,
  { filter, sort }: { readonly filter: Filter | null; readonly sort: readonly SortKey[] },
): ElementSelection {
  if (filter === null && sort.length === 0) return (elements) => elements
  const select = compileSelection(
    BSON.serialize(filter === null ? {} : translateFilter(filter)),
    BSON.serialize(Object.fromEntries(sort.map(sortField))),
  )
  return (elements) => {
    const documents = elements.map((element) =>
      BSON.serialize(toBson(toStoredNames(component, element)) as Data),
    )
    return select(documents).map((position) => elements[position] as Data)
  }
}

function sortField({ through, attribute, direction }: SortKey): [string, 1 | -1] {
  const path = [...through, attribute].map(({ storedName }) => storedName).join('.')
  return [path, direction === 'asc' ? 1 : -1]
}

export interface Conditions {
  readonly lookups: readonly Document[]
  readonly match: Document
  /** The part that hides entries from the caller. */
  readonly rule?: Conditions | undefined
}

export const NO_CONDITIONS: Conditions = { lookups: [], match: {} }

export function matchStages(filter: Document, { lookups, match }: Conditions): Document[] {
  return lookups.length === 0
    ? [{ $match: matchAll([filter, match]) }]
    : [{ $match: filter }, ...lookups, { $match: match }]
}

export function bothConditions(one: Conditions, other: Conditions): Conditions {
  return {
    lookups: [...one.lookups, ...other.lookups],
    match: matchAll([one.match, other.match]),
    rule: one.rule ?? other.rule,
  }
}

export function laterStages({ lookups, match }: Conditions): readonly Document[] {
  return lookups.length === 0 ? [] : [...lookups, { $match: match }]
}
