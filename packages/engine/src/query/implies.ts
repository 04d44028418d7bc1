import { BSONRegExp } from 'bson'
import { areEqualValues } from '../bson/compare.ts'
import { getRank, TYPE_RANKS } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import type { Condition, Filter } from '../filter/filter.ts'
import { listConditions } from './bounds.ts'
import { compileComparison } from '../filter/match.ts'
import { hasType } from '../bson/types.ts'

function isAbsent(value: Value): boolean {
  return value === null || value === undefined
}

function rangeImplies(
  given: Condition & { kind: 'compare' },
  wanted: Condition & { kind: 'compare' },
): boolean {
  const [from, to] = [given.operator, wanted.operator]
  if (getRank(given.operand) !== getRank(wanted.operand) || from.slice(0, 3) !== to.slice(0, 3))
    return false
  if (compileComparison(to, wanted.operand)(given.operand)) return true
  return from === to && areEqualValues(given.operand, wanted.operand)
}

// A regular expression in a list also matches texts.
function pointsOf(given: Condition): readonly Value[] | null {
  if (given.kind === 'in')
    return given.operands.some((operand) => operand instanceof BSONRegExp) ? null : given.operands
  return given.kind === 'compare' && given.operator === '$eq' ? [given.operand] : null
}

function impliesByPoints(points: readonly Value[], wanted: Condition): boolean {
  if (wanted.kind === 'exists') return points.every((point) => !isAbsent(point))
  // A value that equals null may be missing, and missing has no type.
  if (wanted.kind === 'type')
    return points.every((point) => !isAbsent(point) && hasType(wanted.types, point))
  if (wanted.kind !== 'compare') return false
  const test = compileComparison(wanted.operator, wanted.operand)
  return points.every((point) => test(point))
}

function impliesCondition(given: Condition, wanted: Condition): boolean {
  if (given.path !== wanted.path) return false
  const points = pointsOf(given)
  if (points?.every((point) => !Array.isArray(point))) return impliesByPoints(points, wanted)
  if (wanted.kind === 'exists') return given.kind === 'exists' || isPositive(given)
  if (wanted.kind === 'type')
    return given.kind === 'type' && [...given.types].every((type) => wanted.types.has(type))
  return given.kind === 'compare' && wanted.kind === 'compare' && rangeImplies(given, wanted)
}

/** True if missing does not match. Missing sorts between MinKey and MaxKey. */
function isPositive(given: Condition): boolean {
  if (given.kind === 'regex') return true
  if (given.kind !== 'compare' || given.operator === '$eq' || isAbsent(given.operand)) return false
  const rank = getRank(given.operand)
  return rank !== TYPE_RANKS.minKey && rank !== TYPE_RANKS.maxKey
}

/** True if every match of the query is in the partial index. */
export function impliesPartial(query: Filter, partial: Filter): boolean {
  const given = listConditions(query)
  return listConditions(partial).every((wanted) =>
    given.some((condition) => impliesCondition(condition, wanted)),
  )
}
