import { ValidationError } from '../errors.ts'
import type { Comparison, Filter, Operator, SortKey } from '../query/query.ts'
import type { Data } from '../schema/definition.ts'

/**
 * The elements of a component that meet a filter, in an order asked for: they live inside of their entry,
 * so that there is no query to ask. Values compare as MongoDB compares them.
 * @throws ValidationError for what leads through a relation.
 */
export function arrange(
  elements: readonly Data[],
  { filter, sort }: { readonly filter: Filter | null; readonly sort: readonly SortKey[] },
): readonly Data[] {
  const shown = filter === null ? elements : elements.filter((element) => meets(element, filter))
  if (sort.length === 0) return shown
  return shown.toSorted((one, other) => {
    for (const key of sort) {
      const order = compare(valueOf(one, key), valueOf(other, key))
      if (order !== 0) return key.direction === 'asc' ? order : -order
    }
    return 0
  })
}

function meets(element: Data, filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
      return filter.of.every((inner) => meets(element, inner))
    case 'any':
      return filter.of.some((inner) => meets(element, inner))
    case 'not':
      return !meets(element, filter.of)
    case 'compare':
      return meetsComparison(element[filter.attribute.name] ?? null, filter)
    case 'within': {
      const inner = element[filter.component.name] ?? []
      const list = (Array.isArray(inner) ? inner : [inner]) as readonly Data[]
      return list.some((each) => meets(each, filter.of))
    }
    case 'related':
      throw throughRelation(filter.relation.name)
  }
}

function meetsComparison(value: unknown, { operator, operand }: Comparison): boolean {
  return CHECKS[operator](value, operand)
}

type Check = (value: unknown, operand: unknown) => boolean

const CHECKS = {
  eq: (value, operand) => compare(value, operand) === 0,
  ne: (value, operand) => compare(value, operand) !== 0,
  lt: (value, operand) => value !== null && compare(value, operand) < 0,
  lte: (value, operand) => value !== null && compare(value, operand) <= 0,
  gt: (value, operand) => value !== null && compare(value, operand) > 0,
  gte: (value, operand) => value !== null && compare(value, operand) >= 0,
  in: (value, operand) => listOf(operand).some((one) => compare(value, one) === 0),
  notIn: (value, operand) => listOf(operand).every((one) => compare(value, one) !== 0),
  between: (value, operand) => {
    const [from, to] = listOf(operand)
    return value !== null && compare(value, from) >= 0 && compare(value, to) <= 0
  },
  null: (value, operand) => (value === null) === operand,
  notNull: (value, operand) => (value !== null) === operand,
  eqi: (value, operand) => textOf(value) !== null && folded(value) === folded(operand),
  nei: (value, operand) => textOf(value) === null || folded(value) !== folded(operand),
  contains: (value, operand) => textOf(value)?.includes(String(operand)) === true,
  notContains: (value, operand) => textOf(value)?.includes(String(operand)) !== true,
  containsi: (value, operand) => folded(value)?.includes(folded(operand) ?? '') === true,
  notContainsi: (value, operand) => folded(value)?.includes(folded(operand) ?? '') !== true,
  startsWith: (value, operand) => textOf(value)?.startsWith(String(operand)) === true,
  startsWithi: (value, operand) => folded(value)?.startsWith(folded(operand) ?? '') === true,
  endsWith: (value, operand) => textOf(value)?.endsWith(String(operand)) === true,
  endsWithi: (value, operand) => folded(value)?.endsWith(folded(operand) ?? '') === true,
} satisfies Record<Operator, Check>

function valueOf(element: Data, { through, attribute }: SortKey): unknown {
  let holder: Data = element
  for (const step of through) {
    if (step.kind === 'relation') throw throughRelation(step.name)
    const inner = holder[step.name] ?? {}
    holder = (Array.isArray(inner) ? (inner[0] ?? {}) : inner) as Data
  }
  return holder[attribute.name] ?? null
}

/** Null is the lowest; text goes by code points, decimals and big integers by value. */
function compare(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null)
  if (typeof one === 'string' && typeof other === 'string') {
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  }
  const [left, right] = [comparable(one), comparable(other)]
  if (left === right) return 0
  return left < right ? -1 : 1
}

function comparable(value: unknown): number | bigint | string {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value === 'boolean') return Number(value)
  if (value instanceof Date) return value.getTime()
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return isDecimal(value) ? Number(value.toString()) : text
}

/** A decimal as it is asked for, or as it is stored: both print their digits. */
function isDecimal(value: unknown): value is { toString(): string } {
  return value !== null && typeof value === 'object' && /^-?[\d.]+(E[+-]?\d+)?$/i.test(`${value}`)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function folded(value: unknown): string | null {
  return textOf(value)?.toLowerCase() ?? null
}

function listOf(operand: unknown): readonly unknown[] {
  return operand as readonly unknown[] // the parser gives these operators lists
}

function throughRelation(name: string): ValidationError {
  return new ValidationError(`populate: elements of a component are not arranged by ${name}`)
}
