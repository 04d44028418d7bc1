import type { Filter } from './filter.ts'

/** One process serves one engine, like the feature compatibility version of MongoDB. */
let isOn = false

/** `Strictness.nullOverLists` for this thread or process. */
export function setNullOverLists(on: boolean): void {
  isOn = on
}

/** Whether a path without any value in its lists must match the condition. */
export function matchesMissingInLists(condition: Filter): boolean {
  if (!isOn || !('path' in condition) || !condition.path.includes('.')) return false
  if (condition.kind === 'in') return condition.operands.some(isNull)
  return (
    condition.kind === 'compare' &&
    NULL_OPERATORS.has(condition.operator) &&
    isNull(condition.operand)
  )
}

const NULL_OPERATORS: ReadonlySet<string> = new Set(['$eq', '$gte', '$lte'])

function isNull(operand: unknown): boolean {
  return operand === null || operand === undefined
}
