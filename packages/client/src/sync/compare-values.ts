import type { ShapePlan } from './content-plan.ts'

type Kind = ShapePlan['kinds'][string] | undefined
type Comparable = string | number | bigint | boolean | null

/** Null if the value is missing. */
export function toComparable(value: unknown, kind: Kind): Comparable {
  if (value === null || value === undefined) return null
  if (kind === 'date') return value instanceof Date ? value.getTime() : Date.parse(value as string)
  if (kind === 'bigint') return BigInt(value as string)
  if (value instanceof Date) return value.toISOString()
  if (kind === 'json' || typeof value === 'object') return JSON.stringify(value)
  return value as Comparable
}

/** MongoDB's order for the values of one attribute: missing values come first. */
export function compareValues(one: Comparable, other: Comparable): number {
  if (one === other) return 0
  if (one === null) return -1
  if (other === null) return 1
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  return one < other ? -1 : 1
}

/** Compares by code point. `<` compares UTF-16 units, which sorts emoji before some letters. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index += 1) {
    const order = (one.codePointAt(index) ?? 0) - (other.codePointAt(index) ?? 0)
    if (order !== 0) return order
  }
  return one.length - other.length
}
