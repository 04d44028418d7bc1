import { ValidationError } from '../../errors.ts'
import { literal, TEXT_END } from '../../mongo/read/translate-filter.ts'
import type { Comparison, Filter, Operator, SortKey } from '../../query/query.ts'
import { Decimal } from '../../schema/values/decimal.ts'
import type { Data } from '../../schema/definition.ts'
import type { ScalarPlan } from '../../schema/plan.ts'

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

function meetsComparison(value: unknown, { attribute, operator, operand }: Comparison): boolean {
  return CHECKS[operator](plain(value, attribute), plain(operand, attribute))
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
  eqi: (value, operand) => finds(value, `^${literal(operand)}${TEXT_END}`),
  nei: (value, operand) => !finds(value, `^${literal(operand)}${TEXT_END}`),
  contains: (value, operand) => textOf(value)?.includes(String(operand)) === true,
  notContains: (value, operand) => textOf(value)?.includes(String(operand)) !== true,
  containsi: (value, operand) => finds(value, literal(operand)),
  notContainsi: (value, operand) => !finds(value, literal(operand)),
  startsWith: (value, operand) => textOf(value)?.startsWith(String(operand)) === true,
  startsWithi: (value, operand) => finds(value, `^${literal(operand)}`),
  endsWith: (value, operand) => textOf(value)?.endsWith(String(operand)) === true,
  endsWithi: (value, operand) => finds(value, `${literal(operand)}${TEXT_END}`),
} satisfies Record<Operator, Check>

/** Of several elements on the way the lowest value counts ascending and the highest descending. */
function valueOf(element: Data, { through, attribute, direction }: SortKey): unknown {
  let holders: readonly Data[] = [element]
  for (const step of through) {
    if (step.kind === 'relation') throw throughRelation(step.name)
    holders = holders.flatMap((holder) => (holder[step.name] ?? []) as Data | readonly Data[])
  }
  const values = holders.map((holder) => plain(holder[attribute.name] ?? null, attribute))
  return values.toSorted(compare).at(direction === 'asc' ? 0 : -1) ?? null
}

/** Null is the lowest; text goes by code points, decimals and big integers by value, JSON by type first. */
function compare(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null)
  if (one instanceof Decimal && other instanceof Decimal) return one.compareTo(other)
  const byType = rankOf(one) - rankOf(other)
  if (byType !== 0) return byType
  const [left, right] = [comparable(one), comparable(other)]
  if (typeof left === 'string' && typeof right === 'string') {
    return Buffer.compare(Buffer.from(left), Buffer.from(right))
  }
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** As BSON orders types: numbers, texts, objects, lists, booleans. Only JSON holds values of several. */
function rankOf(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return 0
  if (typeof value === 'string') return 1
  if (typeof value === 'boolean') return 4
  return Array.isArray(value) ? 3 : 2
}

function comparable(value: unknown): number | bigint | string {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value === 'boolean') return Number(value)
  if (value instanceof Date) return value.getTime()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Stored decimals and those of a filter are of two classes, which print their digits alike. */
function plain(value: unknown, attribute: ScalarPlan): unknown {
  if (attribute.type !== 'decimal' || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((one) => plain(one, attribute))
  return Decimal.parse((value as { toString(): string }).toString())
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Whatever the case, which is folded as the database folds it. */
function finds(value: unknown, pattern: string): boolean {
  return typeof value === 'string' && new RegExp(pattern, 'iu').test(value)
}

function listOf(operand: unknown): readonly unknown[] {
  return operand as readonly unknown[] // the parser gives these operators lists
}

function throughRelation(name: string): ValidationError {
  return new ValidationError(`populate: elements of a component are not arranged by ${name}`)
}
