import { BSON, type Document } from 'mongodb'

/**
 * A text that partial filters of one meaning share. MongoDB reports a filter in a form of its own: declared
 * `{ a: 'x', b: { $gt: '' } }`, `listIndexes` answers `{ $and: [{ a: { $eq: 'x' } }, { b: { $gt: '' } }] }` (seen on
 * mongod 4.9); other engines report what was declared. So: a set of single conditions, each as path, operator and
 * operand. Null and the empty filter leave nothing out.
 */
export function partialFilterText(filter: Document | null): string {
  const conditions = new Set(conditionsOf(filter ?? {}).map(textOf))
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

/** Whether it is `{ $gt: … }` and the like, not an operand itself. */
function isOperators(operand: unknown): operand is Document {
  if (typeof operand !== 'object' || operand === null) return false
  const names = Object.keys(operand)
  return names.length > 0 && names.every((name) => name.startsWith('$'))
}

/** Engines differ in the number type they keep: 1, 1.0 and 1n are one operand. */
function textOf(condition: Condition): string {
  return BSON.EJSON.stringify(condition, { relaxed: true })
}
