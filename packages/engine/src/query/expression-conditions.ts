import { BSONRegExp } from 'bson'
import type { Variables } from '../expression/evaluate.ts'
import { isDocument } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import type { Condition, Filter } from '../filter/filter.ts'

const NO_VARIABLES: Variables = new Map()

function pathOf(operand: Value): string | null {
  return typeof operand === 'string' && /^\$[^$0-9]/.test(operand) && !/\.\d/.test(operand)
    ? operand.slice(1)
    : null
}

function constantOf(operand: Value, variables: Variables): Value {
  if (typeof operand === 'string')
    return operand.startsWith('$$')
      ? variables.get(operand.slice(2))
      : operand.startsWith('$')
        ? undefined
        : operand
  if (!isDocument(operand)) return operand
  return Object.keys(operand)[0] === '$literal' ? operand['$literal'] : undefined
}

function equality(operands: Value, variables: Variables): Condition[] {
  if (!Array.isArray(operands) || operands.length !== 2) return []
  const pairs = [operands, operands.toReversed()]
  for (const [left, right] of pairs) {
    const path = pathOf(left)
    const operand = constantOf(right, variables)
    const isPlain =
      operand !== undefined &&
      operand !== null &&
      !Array.isArray(operand) &&
      !(operand instanceof BSONRegExp)
    if (path !== null && isPlain) return [{ kind: 'compare', path, operator: '$eq', operand }]
  }
  return []
}

function fromExpression(expression: Value, variables: Variables): Condition[] {
  if (!isDocument(expression)) return []
  const { $and: all, $eq: operands } = expression
  if (Array.isArray(all)) return all.flatMap((part) => fromExpression(part, variables))
  return operands === undefined ? [] : equality(operands, variables)
}

/**
 * Such as a $lookup that compares a field with a variable. They compare whole values, so a multikey
 * index cannot serve them.
 */
export function findExpressionConditions(
  filter: Filter,
  variables = NO_VARIABLES,
): readonly Condition[] {
  if (filter.kind === 'all')
    return filter.of.flatMap((child) => findExpressionConditions(child, variables))
  return filter.kind === 'expression' ? fromExpression(filter.expression, variables) : []
}
