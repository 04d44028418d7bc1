import { BSONRegExp } from 'bson'
import { isNaNValue } from '../bson/numbers.ts'
import { getRank, TYPE_RANKS } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import type { Condition, Filter } from '../filter/filter.ts'
import { getLiteralPrefix } from '../bson/regex.ts'

export interface RangeEnd {
  readonly value: Value
  readonly isOpen: boolean
}

export interface ValueRange {
  readonly low: RangeEnd | null
  readonly high: RangeEnd | null
  readonly rank: number
  /** The common prefix of all texts in the range. Null if the range is not defined by a prefix. */
  readonly prefix: string | null
  readonly regex?: BSONRegExp
}

/** Bounds may include more documents, because every document is tested. */
export type Bounds =
  | { readonly kind: 'points'; readonly values: readonly Value[] }
  | { readonly kind: 'range'; readonly range: ValueRange }

// An index holds the elements of an array, but equality compares the whole array.
function isPoint(value: Value): boolean {
  return !Array.isArray(value) && !(value instanceof BSONRegExp)
}

/** Types whose index order equals the order of the values. */
export const RANGE_TYPES: ReadonlySet<number> = new Set([
  TYPE_RANKS.int,
  TYPE_RANKS.string,
  TYPE_RANKS.binData,
  TYPE_RANKS.objectId,
  TYPE_RANKS.bool,
  TYPE_RANKS.date,
  TYPE_RANKS.timestamp,
])

function comparisonBounds(condition: Condition & { kind: 'compare' }): Bounds | null {
  const { operator, operand } = condition
  if (operator === '$eq')
    return isPoint(operand) ? { kind: 'points', values: [operand ?? null] } : null
  const rank = getRank(operand)
  if (!RANGE_TYPES.has(rank) || isNaNValue(operand)) return null
  const isLow = operator === '$gt' || operator === '$gte'
  const end = { value: operand, isOpen: operator === '$gt' || operator === '$lt' }
  const [low, high] = isLow ? [end, null] : [null, end]
  return { kind: 'range', range: { low, high, rank, prefix: null } }
}

/** Cached, so that a long list is read once and not per index. */
const known = new WeakMap<Condition, Bounds | null>()

export function getBounds(condition: Condition): Bounds | null {
  const before = known.get(condition)
  if (before !== undefined) return before
  const bounds = findBounds(condition)
  known.set(condition, bounds)
  return bounds
}

/** A number in a path can also be a field name inside the elements, which is rare. */
export function hasArrayIndex(path: string): boolean {
  return /\.\d+(?:\.|$)/.test(path)
}

/** An index by element position has no key for a field that this element lacks. */
function isNullBeside(condition: Condition, values: readonly Value[]): boolean {
  return hasArrayIndex(condition.path) && values.includes(null)
}

function findBounds(condition: Condition): Bounds | null {
  const bounds = boundsOfValues(condition)
  return bounds?.kind === 'points' && isNullBeside(condition, bounds.values) ? null : bounds
}

function boundsOfValues(condition: Condition): Bounds | null {
  if (condition.kind === 'compare') return comparisonBounds(condition)
  if (condition.kind === 'in') {
    return condition.operands.every((operand) => isPoint(operand))
      ? { kind: 'points', values: condition.operands.map((operand) => operand ?? null) }
      : null
  }
  if (condition.kind !== 'regex') return null
  const prefix = getLiteralPrefix(condition.regex)
  if (prefix === '') return null
  const low = { value: prefix, isOpen: false }
  return {
    kind: 'range',
    range: { low, high: null, rank: TYPE_RANKS.string, prefix, regex: condition.regex },
  }
}

export function listConjuncts(filter: Filter): readonly Filter[] {
  return filter.kind === 'all' ? filter.of.flatMap((child) => listConjuncts(child)) : [filter]
}

export function listConditions(filter: Filter): readonly Condition[] {
  return listConjuncts(filter).filter((part): part is Condition => 'path' in part)
}
