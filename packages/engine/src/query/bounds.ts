import { BSONRegExp } from 'bson'
import { isNaNValue } from '../bson/numbers.ts'
import { rankOf, RANKS } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import type { Condition, Filter } from '../filter/filter.ts'
import { literalPrefix } from '../bson/regex.ts'

export interface End {
  readonly value: Value
  /** Whether the value itself is left out. */
  readonly isOpen: boolean
}

export interface Range {
  /** Null is the end of the type. */
  readonly low: End | null
  readonly high: End | null
  /** The rank of the type the range lies in. */
  readonly rank: number
  /** What all texts in it begin with; null where it is no range of such texts. */
  readonly prefix: string | null
  /** Where they do: what finds them finds itself, too. */
  readonly regex?: BSONRegExp
}

/** What a condition lets an index look up. It may allow more than the condition: documents are tested after all. */
export type Bounds =
  | { readonly kind: 'points'; readonly values: readonly Value[] }
  | { readonly kind: 'range'; readonly range: Range }

// An array is indexed by its elements and equals as a whole: no single place to look.
function isPoint(value: Value): boolean {
  return !Array.isArray(value) && !(value instanceof BSONRegExp)
}

/** Types within which a range of an index holds what lies in a range. */
export const RANGED: ReadonlySet<number> = new Set([
  RANKS.int,
  RANKS.string,
  RANKS.binData,
  RANKS.objectId,
  RANKS.bool,
  RANKS.date,
  RANKS.timestamp,
])

function comparisonBounds(condition: Condition & { kind: 'compare' }): Bounds | null {
  const { operator, operand } = condition
  if (operator === '$eq')
    return isPoint(operand) ? { kind: 'points', values: [operand ?? null] } : null
  const rank = rankOf(operand)
  if (!RANGED.has(rank) || isNaNValue(operand)) return null
  const isLow = operator === '$gt' || operator === '$gte'
  const end = { value: operand, isOpen: operator === '$gt' || operator === '$lt' }
  const [low, high] = isLow ? [end, null] : [null, end]
  return { kind: 'range', range: { low, high, rank, prefix: null } }
}

/** A long list is looked through once, and not for each index again. */
const known = new WeakMap<Condition, Bounds | null>()

/** The bounds of a condition; null when an index cannot serve it. */
export function boundsOf(condition: Condition): Bounds | null {
  const before = known.get(condition)
  if (before !== undefined) return before
  const bounds = findBounds(condition)
  known.set(condition, bounds)
  return bounds
}

/** A number in a path is a place in an array, and a name within its elements, which they hardly ever have. */
export function namesPlace(path: string): boolean {
  return /\.\d+(?:\.|$)/.test(path)
}

/** What is missing in an element is none of an index's keys where the path names another one by its place. */
function isNullBeside(condition: Condition, values: readonly Value[]): boolean {
  return namesPlace(condition.path) && values.includes(null)
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
  const prefix = literalPrefix(condition.regex)
  if (prefix === '') return null
  const low = { value: prefix, isOpen: false }
  return {
    kind: 'range',
    range: { low, high: null, rank: RANKS.string, prefix, regex: condition.regex },
  }
}

/** The filters that all must hold. */
export function partsOf(filter: Filter): readonly Filter[] {
  return filter.kind === 'all' ? filter.of.flatMap((child) => partsOf(child)) : [filter]
}

/** The conditions that all must hold. */
export function conjuncts(filter: Filter): readonly Condition[] {
  return partsOf(filter).filter((part): part is Condition => 'path' in part)
}
