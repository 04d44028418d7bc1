import { BSON, type Document } from 'mongodb'

/** MongoDB rewrites `{ a: 'x', b: { $gt: '' } }` to `{ $and: [{ a: { $eq: 'x' } }, …] }`. Other engines do not. */
export function partialFilterText(filter: Document | null): string {
  const conditions = new Set(conditionsOf(filter ?? {}).map(canonicalText))
  return [...conditions].toSorted().join()
}

type Condition = readonly [path: string, operator: string, operand: unknown]

function conditionsOf(filter: Document): readonly Condition[] {
  return Object.entries(filter).flatMap(([name, operand]): readonly Condition[] => {
    if (name === '$and' && Array.isArray(operand)) {
      return operand.flatMap((part) => conditionsOf(part as Document))
    }
    return isOperators(operand)
      ? Object.entries(operand).map(([operator, value]) => [name, operator, value] as const)
      : [[name, '$eq', operand]]
  })
}

function isOperators(operand: unknown): operand is Document {
  if (typeof operand !== 'object' || operand === null) return false
  const names = Object.keys(operand)
  return names.length > 0 && names.every((name) => name.startsWith('$'))
}

function canonicalText(condition: Condition): string {
  return BSON.EJSON.stringify(condition, { relaxed: true })
}
