import { BSONRegExp } from 'bson'
import { encodeKey } from '../bson/encode-key.ts'
import { isNaNValue } from '../bson/numbers.ts'
import { compileRegexTest } from '../bson/regex.ts'
import { getRank, TYPE_RANKS } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import type { Comparison, Condition, Filter } from '../filter/filter.ts'
import type { Index } from '../storage/collection.ts'
import { hasArrayIndex, RANGE_TYPES } from './bounds.ts'

/** Tests the components of an index key (`splitKey`) in place of the document. */
export type KeyTest = (components: readonly Buffer[]) => boolean

type ComponentTest = (component: Buffer) => boolean

function keyOf(value: Value): Buffer {
  return encodeKey([value ?? null], [])
}

const NAN = keyOf(NaN)

const ACCEPTS: Readonly<Record<Exclude<Comparison, '$eq'>, (order: number) => boolean>> = {
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
}

// An index holds the elements of an array. A regular expression matches itself and also texts.
function isSingle(value: Value): boolean {
  return !Array.isArray(value) && !(value instanceof BSONRegExp)
}

function comparisonTest({
  operator,
  operand,
}: Condition & { kind: 'compare' }): ComponentTest | null {
  if (operator === '$eq') {
    if (!isSingle(operand)) return null
    const key = keyOf(operand)
    return (component) => component.equals(key)
  }
  const rank = getRank(operand)
  if (!RANGE_TYPES.has(rank) || isNaNValue(operand)) return null
  const key = keyOf(operand)
  const accepts = ACCEPTS[operator]
  return (component) =>
    component[0] === rank && !component.equals(NAN) && accepts(component.compare(key))
}

function textOf(component: Buffer): string {
  return component.toString('utf8', 1, component.length - 2).replaceAll('\0\u{FFFD}', '\0')
}

function patternTest({ regex }: Condition & { kind: 'regex' }): ComponentTest {
  const matches = compileRegexTest(regex)
  const same = keyOf(regex)
  return (component) =>
    (component[0] === TYPE_RANKS.string && matches(textOf(component))) || component.equals(same)
}

function componentTest(condition: Condition): ComponentTest | null {
  if (hasArrayIndex(condition.path)) return null
  if (condition.kind === 'compare') return comparisonTest(condition)
  if (condition.kind === 'regex') return patternTest(condition)
  if (condition.kind !== 'in' || !condition.operands.every((operand) => isSingle(operand)))
    return null
  const keys = new Set(condition.operands.map((operand) => keyOf(operand).toString('latin1')))
  return (component) => keys.has(component.toString('latin1'))
}

/**
 * Null if keys cannot decide the filter: they do not distinguish missing from null or number types,
 * and contain only the indexed fields.
 */
export function compileKeyTest(filter: Filter, index: Index): KeyTest | null {
  if (filter.kind === 'expression') return null
  if (filter.kind === 'not') {
    const test = compileKeyTest(filter.of, index)
    return test && ((components) => !test(components))
  }
  if ('path' in filter) {
    const place = index.fields.findIndex(({ path }) => path === filter.path)
    const test = place < 0 ? null : componentTest(filter)
    return test && ((components) => test(components[place] ?? Buffer.alloc(0)))
  }
  const tests: KeyTest[] = []
  for (const child of filter.of) {
    const test = compileKeyTest(child, index)
    if (!test) return null
    tests.push(test)
  }
  if (filter.kind === 'all') return (components) => tests.every((test) => test(components))
  const isAny = filter.kind === 'any'
  return (components) => tests.some((test) => test(components)) === isAny
}
