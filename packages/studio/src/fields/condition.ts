import type { StudioCondition } from '@quire/schema/attributes'

type Read = (name: string) => unknown

/**
 * Whether form values match `visibleWhen` of an attribute. The server has checked the condition. As
 * in the filters of the API, comparisons with an empty value fail, except `$ne` and `$notIn`.
 */
export function isMet(condition: StudioCondition, read: Read): boolean {
  return Object.entries(condition).every(([key, operand]) => {
    if (key === '$not') return !isMet(operand as StudioCondition, read)
    if (key === '$and') return conditionsOf(operand).every((one) => isMet(one, read))
    if (key === '$or') return conditionsOf(operand).some((one) => isMet(one, read))
    const comparisons = isObject(operand) ? operand : { $eq: operand }
    return Object.entries(comparisons).every(([operator, one]) => compare(read(key), operator, one))
  })
}

/** The attributes that a condition reads. */
export function namesIn(condition: StudioCondition): readonly string[] {
  return Object.entries(condition).flatMap(([key, operand]) => {
    if (key === '$not') return namesIn(operand as StudioCondition)
    return key.startsWith('$') ? conditionsOf(operand).flatMap(namesIn) : [key]
  })
}

function conditionsOf(operand: unknown): readonly StudioCondition[] {
  return Array.isArray(operand) ? (operand as StudioCondition[]) : []
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function compare(value: unknown, operator: string, operand: unknown): boolean {
  switch (operator) {
    case '$null':
      return isEmptyValue(value) === (operand === true)
    case '$notNull':
      return isEmptyValue(value) !== (operand === true)
    case '$eq':
      return order(value, operand) === 0
    case '$ne':
      return order(value, operand) !== 0
    case '$in':
      return Array.isArray(operand) && operand.some((one) => order(value, one) === 0)
    case '$notIn':
      return Array.isArray(operand) && operand.every((one) => order(value, one) !== 0)
    default:
      return isInOrder(order(value, operand), operator)
  }
}

function isInOrder(sign: number | null, operator: string): boolean {
  if (sign === null) return false
  if (operator === '$lt') return sign < 0
  if (operator === '$lte') return sign <= 0
  return operator === '$gt' ? sign > 0 : operator === '$gte' && sign >= 0
}

/** Null if the value is empty. Big integers and decimals can be texts. */
function order(value: unknown, operand: unknown): number | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof operand === 'number') return signOf(Number(value) - operand)
  if (value === operand) return 0
  if (typeof value !== 'string' || typeof operand !== 'string') return null
  return value < operand ? -1 : 1
}

function signOf(difference: number): number | null {
  return Number.isNaN(difference) ? null : Math.sign(difference)
}

export function isEmptyValue(value: unknown): boolean {
  const items = isObject(value) && 'items' in value ? value['items'] : value
  return (
    items === null ||
    items === undefined ||
    items === '' ||
    (Array.isArray(items) && items.length === 0)
  )
}
