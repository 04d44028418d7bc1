import { equalValues } from '../bson/compare.ts'
import { rankOf } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import type { Condition, Filter } from './filter.ts'
import { conjuncts } from './bounds.ts'
import { comparisonTest } from './match.ts'
import { hasType } from './types.ts'

const isAbsent = (value: Value): boolean => value === null || value === undefined

/** Whether a lower or upper bound follows from another. */
function rangeImplies(
  given: Condition & { kind: 'compare' },
  wanted: Condition & { kind: 'compare' },
): boolean {
  const [from, to] = [given.operator, wanted.operator]
  if (rankOf(given.operand) !== rankOf(wanted.operand) || from.slice(0, 3) !== to.slice(0, 3))
    return false
  if (comparisonTest(to, wanted.operand)(given.operand)) return true
  return from === to && equalValues(given.operand, wanted.operand)
}

const pointsOf = (given: Condition): readonly Value[] | null => {
  if (given.kind === 'in') return given.operands
  return given.kind === 'compare' && given.operator === '$eq' ? [given.operand] : null
}

/** The values a condition demands to find: for each of them the wanted condition must hold. */
function impliesCondition(given: Condition, wanted: Condition): boolean {
  if (given.path !== wanted.path) return false
  const points = pointsOf(given)
  const isPlain = points?.every((point) => !Array.isArray(point)) ?? false
  switch (wanted.kind) {
    case 'exists':
      return (
        given.kind === 'exists' ||
        (isPlain ? points?.every((point) => !isAbsent(point)) === true : isPositive(given))
      )
    case 'type':
      return isPlain && points?.every((point) => hasType(wanted.types, point)) === true
    case 'compare':
      if (isPlain)
        return (
          points?.every((point) => comparisonTest(wanted.operator, wanted.operand)(point)) === true
        )
      return given.kind === 'compare' && rangeImplies(given, wanted)
    default:
      return false
  }
}

const isPositive = (given: Condition): boolean =>
  given.kind === 'regex' ||
  (given.kind === 'compare' && given.operator !== '$eq' && !isAbsent(given.operand))

/** Whether every document that passes the query passes the filter of a partial index. */
export function implies(query: Filter, partial: Filter): boolean {
  const given = conjuncts(query)
  return conjuncts(partial).every((wanted) =>
    given.some((condition) => impliesCondition(condition, wanted)),
  )
}
