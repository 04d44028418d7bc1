import { ValidationError } from '../base/errors.ts'
import { booleanOf, SCALAR_KINDS } from '../schema/values/attribute-kinds.ts'
import type { ScalarType } from '../schema/definition.ts'
import type { ScalarPlan } from '../schema/plan.ts'
import { parseNear, parseWithin } from './parse-area.ts'
import { invalidValue } from './query-error.ts'
import { type Comparison, type Filter, type Operator, OPERATORS, QUERY_LIMITS } from './query.ts'

type Family = 'equality' | 'list' | 'order' | 'range' | 'text' | 'presence' | 'area'

const FAMILIES = {
  eq: 'equality',
  eqi: 'equality',
  ne: 'equality',
  nei: 'equality',
  in: 'list',
  notIn: 'list',
  lt: 'order',
  lte: 'order',
  gt: 'order',
  gte: 'order',
  between: 'range',
  contains: 'text',
  notContains: 'text',
  containsi: 'text',
  notContainsi: 'text',
  startsWith: 'text',
  startsWithi: 'text',
  endsWith: 'text',
  endsWithi: 'text',
  null: 'presence',
  notNull: 'presence',
  near: 'area',
  within: 'area',
} satisfies Record<Operator, Family>

const KNOWN: ReadonlySet<string> = new Set(OPERATORS)

export function operatorsOf(type: ScalarType): readonly Operator[] {
  const { textual, ordered } = SCALAR_KINDS[type]
  const fits: Readonly<Record<Family, boolean>> = {
    equality: type !== 'location',
    list: type !== 'location',
    order: ordered,
    range: ordered,
    text: textual,
    presence: true,
    area: type === 'location',
  }
  return OPERATORS.filter((operator) => fits[FAMILIES[operator]])
}

export function isOperator(name: string): name is Operator {
  return KNOWN.has(name)
}

/** A list matches any of its items, except for `between`, `in` and `notIn`. `path` is the path in the URL. */
export function parseComparison(
  attribute: ScalarPlan,
  operator: Operator,
  value: unknown,
  path: string,
): Filter {
  const at = `${path}[$${operator}]`
  const family = FAMILIES[operator]
  const fits = attribute.type !== 'location' || family === 'presence'
  if (family === 'area' ? attribute.type !== 'location' : !fits) {
    throw invalidValue(at, `${attribute.type} attributes have no $${operator}`)
  }
  if (family === 'area') {
    const area = operator === 'near' ? parseNear(value, at) : parseWithin(value, at)
    return comparison(attribute, operator, area)
  }
  if (family === 'list') {
    return comparison(attribute, operator, castList(attribute, readList(value, at), at))
  }
  if (family === 'range') return parseRange(attribute, operator, value, at)
  return anyOf(value, at, (one, itsPlace) => {
    switch (family) {
      case 'equality':
        return parseEquality(attribute, operator, one, itsPlace)
      case 'order':
        assertOrdered(attribute, itsPlace)
        return comparison(attribute, operator, castOne(attribute, one, itsPlace))
      case 'text':
        return parseText(attribute, operator, one, itsPlace)
      case 'presence':
        return comparison(attribute, operator, parseBoolean(one, itsPlace))
    }
  })
}

/** A list is a disjunction of its items. @throws ValidationError for a list that is too long */
export function anyOf(
  value: unknown,
  at: string,
  parseOne: (one: unknown, at: string) => Filter,
): Filter {
  if (!Array.isArray(value)) return parseOne(value, at)
  const of = readList(value, at).map((one, index) => parseOne(one, `${at}[${index}]`))
  const [first] = of
  return of.length === 1 && first !== undefined ? first : simplified(of)
}

/** An index can serve one `in` condition, but not several equalities. */
function simplified(of: readonly Filter[]): Filter {
  const [first] = of
  const isEquality = first?.kind === 'compare' && first.operator === 'eq'
  if (!isEquality) return { kind: 'any', of }
  const operands = of.map((one) => (one.kind === 'compare' ? one.operand : undefined))
  return comparison(first.attribute, 'in', operands)
}

function parseEquality(
  attribute: ScalarPlan,
  operator: Operator,
  value: unknown,
  at: string,
): Filter {
  const folds = SCALAR_KINDS[attribute.type].textual && (operator === 'eqi' || operator === 'nei')
  if (folds) return parseText(attribute, operator, currentValue(attribute, value), at)
  const exact = operator === 'eqi' ? 'eq' : operator === 'nei' ? 'ne' : operator
  return comparison(attribute, exact, castOne(attribute, value, at))
}

function parseRange(attribute: ScalarPlan, operator: Operator, value: unknown, at: string): Filter {
  assertOrdered(attribute, at)
  const operands = castList(attribute, Array.isArray(value) ? value : [value], at)
  if (operands.length !== 2) throw invalidValue(at, 'expected exactly two values')
  return comparison(attribute, operator, operands)
}

function parseText(attribute: ScalarPlan, operator: Operator, value: unknown, at: string): Filter {
  if (!SCALAR_KINDS[attribute.type].textual) {
    throw invalidValue(at, `${attribute.type} attributes have no $${operator}`)
  }
  return comparison(attribute, operator, pattern(value, at))
}

function comparison(attribute: ScalarPlan, operator: Operator, operand: unknown): Comparison {
  return { kind: 'compare', attribute, operator, operand }
}

function assertOrdered(attribute: ScalarPlan, at: string): void {
  if (!SCALAR_KINDS[attribute.type].ordered) {
    throw invalidValue(at, `${attribute.type} attributes cannot be sorted`)
  }
}

function castOne(attribute: ScalarPlan, value: unknown, at: string): unknown {
  const text = currentValue(attribute, readText(value, at))
  try {
    return SCALAR_KINDS[attribute.type].fromQuery(text)
  } catch (error) {
    if (error instanceof ValidationError) throw invalidValue(at, error.message)
    throw error
  }
}

/** Rules, views and installed apps may name older values of an enumeration. */
function currentValue<T>({ limits: { formerValues = [] } }: ScalarPlan, value: T): T | string {
  return formerValues.find(([former]) => former === value)?.[1] ?? value
}

function castList(attribute: ScalarPlan, values: readonly unknown[], at: string): unknown[] {
  return values.map((value, index) => castOne(attribute, value, `${at}[${index}]`))
}

function readList(value: unknown, at: string): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > QUERY_LIMITS.listItems) {
    throw invalidValue(at, `at most ${QUERY_LIMITS.listItems} values`)
  }
  return list
}

function pattern(value: unknown, at: string): string {
  const text = readText(value, at)
  if (text.length > QUERY_LIMITS.patternLength) {
    throw invalidValue(at, `at most ${QUERY_LIMITS.patternLength} characters`)
  }
  return text
}

function readText(value: unknown, at: string): string {
  if (typeof value !== 'string') throw invalidValue(at, 'expected one value')
  if (value.includes('\0')) throw invalidValue(at, 'a NUL character cannot be stored')
  return value
}

export function parseBoolean(value: unknown, at: string): boolean {
  const parsed = booleanOf(value)
  if (parsed === undefined) throw invalidValue(at, 'expected true or false')
  return parsed
}
