import { BSONRegExp } from 'bson'
import { compareValues } from '../bson/compare.ts'
import { encodeKey } from '../bson/encode-key.ts'
import { isNaNValue, isNumber, toDouble, toInt64 } from '../bson/numbers.ts'
import { toDocument, isDocument, getRank, TYPE_RANKS } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import { compileExpression } from '../expression/expressions.ts'
import type { Variables } from '../expression/evaluate.ts'
import type { Comparison, Condition, Filter } from './filter.ts'
import { polygonTest } from './geo-within.ts'
import { matchesMissingInLists } from './null-over-lists.ts'
import { readValuesAtPath, testAtPath, splitPath, testWhole, testWithElements } from './paths.ts'
import type { LeafTest, ValueTest } from './paths.ts'
import { compileRegexTest } from '../bson/regex.ts'
import { hasType } from '../bson/types.ts'

export type Matcher = (document: Document, variables?: Variables) => boolean

function isAbsent(value: Value): boolean {
  return value === null || value === undefined
}

const SIGNS: Readonly<Record<Exclude<Comparison, '$eq'>, (order: number) => boolean>> = {
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
}

function equalTest(operand: Value): ValueTest {
  if (isAbsent(operand)) return isAbsent
  if (typeof operand === 'string' || typeof operand === 'boolean')
    return (value) => value === operand
  return (value) => value !== undefined && compareValues(value, operand) === 0
}

/** Compares a single value with the operand. Only values of the operand's type match. */
export function compileComparison(operator: Comparison, operand: Value): ValueTest {
  if (operator === '$eq') return equalTest(operand)
  const accepts = SIGNS[operator]
  if (isAbsent(operand)) return accepts(0) ? isAbsent : () => false
  if (isNaNValue(operand)) return accepts(0) ? isNaNValue : () => false
  const rank = getRank(operand)
  if (rank === TYPE_RANKS.minKey || rank === TYPE_RANKS.maxKey) {
    return (value) => accepts(compareValues(value ?? null, operand))
  }
  return (value) =>
    getRank(value) === rank && !isNaNValue(value) && accepts(compareValues(value, operand))
}

// A long list is looked up in a set instead of being scanned per document.
function inTest(operands: readonly Value[]): ValueTest {
  const regexes = operands
    .filter((operand) => operand instanceof BSONRegExp)
    .map((regex) => compileRegexTest(regex))
  const tests =
    operands.length > 8 ? [setTest(operands)] : operands.map((operand) => equalTest(operand))
  const all = [...tests, ...regexes]
  return (value) => all.some((test) => test(value))
}

function setTest(operands: readonly Value[]): ValueTest {
  const strings = new Set(operands.filter((operand) => typeof operand === 'string'))
  const others = operands.filter((operand) => typeof operand !== 'string')
  const keys = new Set(
    others.map((operand) => {
      spend()
      return keyText(operand ?? null)
    }),
  )
  return (value) =>
    typeof value === 'string' ? strings.has(value) : keys.has(keyText(value ?? null))
}

function keyText(value: Value): string {
  return encodeKey([value], []).toString('latin1')
}

function atPath(path: string, leaf: LeafTest, test: ValueTest): Matcher {
  if (!path.includes('.')) return (document) => leaf(document[path], test)
  const parts = splitPath(path)
  return (document) => testAtPath(document, parts, leaf, test)
}

function remainderTest(divisor: bigint, remainder: bigint): ValueTest {
  return (value) => {
    const dividend = isNumber(value) ? toInt64(value) : null
    return dividend !== null && dividend % divisor === remainder
  }
}

function elementTest(
  filter: Condition & { kind: 'element' },
): (value: Value, variables?: Variables) => boolean {
  if (filter.on === 'value') {
    // An element that is an array counts as one value.
    const matches = compileFilter(filter.of, testWhole)
    return (value) =>
      Array.isArray(value) && value.some((element) => matches(toDocument({ '': element })))
  }
  const matches = compileFilter(filter.of)
  return (value, variables) =>
    Array.isArray(value) &&
    value.some((element) => {
      if (Array.isArray(element))
        return matches(toDocument(Object.fromEntries(element.entries())), variables)
      return isDocument(element) && matches(element, variables)
    })
}

function leafTest(filter: Condition, withElements: LeafTest): readonly [LeafTest, ValueTest] {
  switch (filter.kind) {
    case 'compare':
      return [withElements, compileComparison(filter.operator, filter.operand)]
    case 'in':
      return [withElements, inTest(filter.operands)]
    case 'regex':
      return [withElements, compileRegexTest(filter.regex)]
    case 'exists':
      return [testWhole, (value) => value !== undefined]
    case 'type':
      return [withElements, (value) => hasType(filter.types, value)]
    case 'size':
      return [testWhole, (value) => Array.isArray(value) && value.length === filter.size]
    case 'polygon':
      return [withElements, polygonTest(filter.points)]
    case 'mod':
      return [withElements, remainderTest(filter.divisor, filter.remainder)]
    case 'element':
      break
  }
  return [testWhole, elementTest(filter)]
}

function compileGroup(
  kind: 'all' | 'any' | 'none',
  of: readonly Filter[],
  withElements: LeafTest,
): Matcher {
  const matchers = of.map((child) => compileFilter(child, withElements))
  if (kind === 'all')
    return (document, variables) => matchers.every((matches) => matches(document, variables))
  const any: Matcher = (document, variables) =>
    matchers.some((matches) => matches(document, variables))
  return kind === 'any' ? any : (document, variables) => !any(document, variables)
}

/** `withElements` decides how an array at the end of a path is tested. */
export function compileFilter(filter: Filter, withElements: LeafTest = testWithElements): Matcher {
  spend()
  if (filter.kind === 'all' || filter.kind === 'any' || filter.kind === 'none') {
    return compileGroup(filter.kind, filter.of, withElements)
  }
  if (filter.kind === 'not') {
    const matches = compileFilter(filter.of, withElements)
    return (document, variables) => !matches(document, variables)
  }
  if (filter.kind === 'expression') {
    const evaluate = compileExpression(filter.expression)
    return (document, variables) => isTrue(evaluate(document, variables ?? new Map()))
  }
  const [leaf, test] = leafTest(filter, withElements)
  const matches = atPath(filter.path, leaf, test)
  if (!matchesMissingInLists(filter)) return matches
  const parts = splitPath(filter.path)
  return (document) => matches(document) || readValuesAtPath(document, parts).length === 0
}

export function isTrue(value: Value): boolean {
  return isNumber(value)
    ? toDouble(value) !== 0
    : value !== false && value !== null && value !== undefined
}
