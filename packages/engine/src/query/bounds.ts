import { BSONRegExp } from 'bson'
import { isNaNValue } from '../bson/numbers.ts'
import { rankOf, RANKS } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import type { Condition, Filter } from '../filter/filter.ts'
import { literalPrefix } from '../bson/regex.ts'

/** One end of a range: a value, or the end of its type. */
export interface Range {
  readonly low: Value
  readonly high: Value
  /** The rank of the type the range lies in: an end without a value is the type's. */
  readonly rank: number
  readonly prefix?: string
}

/** What a condition lets an index look up. It may allow more than the condition: documents are tested after all. */
export type Bounds =
  | { readonly kind: 'points'; readonly values: readonly Value[] }
  | { readonly kind: 'range'; readonly range: Range }

// An array is indexed by its elements and equals as a whole: no single place to look.
const isPoint = (value: Value): boolean => !Array.isArray(value) && !(value instanceof BSONRegExp)

const RANGED: ReadonlySet<number> = new Set([
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
  return {
    kind: 'range',
    range: { low: isLow ? operand : undefined, high: isLow ? undefined : operand, rank },
  }
}

/** The bounds of a condition; null when an index cannot serve it. */
export function boundsOf(condition: Condition): Bounds | null {
  if (condition.kind === 'compare') return comparisonBounds(condition)
  if (condition.kind === 'in') {
    return condition.operands.every((operand) => isPoint(operand))
      ? { kind: 'points', values: condition.operands.map((operand) => operand ?? null) }
      : null
  }
  if (condition.kind !== 'regex') return null
  const prefix = literalPrefix(condition.regex)
  return prefix === ''
    ? null
    : { kind: 'range', range: { low: prefix, high: undefined, rank: RANKS.string, prefix } }
}

/** The conditions that all must hold. */
export function conjuncts(filter: Filter): readonly Condition[] {
  if (filter.kind === 'all') return filter.of.flatMap((child) => conjuncts(child))
  return 'path' in filter ? [filter] : []
}
