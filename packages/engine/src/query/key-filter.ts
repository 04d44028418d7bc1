import { BSONRegExp } from 'bson'
import { decodeDouble, encodeKey } from '../bson/encode-key.ts'
import { splitKey } from '../bson/split-key.ts'
import { isNaNValue } from '../bson/numbers.ts'
import { compileRegexTest } from '../bson/regex.ts'
import { getRank, TYPE_RANKS } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { compilePolygon } from '../filter/geo-within.ts'
import type { Comparison, Condition, Filter } from '../filter/filter.ts'
import type { Index } from '../storage/collection.ts'
import { prefixBytes } from '../storage/index-keys.ts'
import { getBounds, hasArrayIndex, RANGE_TYPES } from './bounds.ts'

/** Tests an index key in place of the document. */
export type KeyTest = (key: Buffer) => boolean

/** Tests the bytes of a component in ascending order. They are not sliced: most entries are only tested. */
type ComponentTest = (bytes: Buffer, start: number, end: number) => boolean

/** Tests a key with the positions of its components (`splitKey`). */
type PartsTest = (key: Buffer, places: readonly number[]) => boolean

function keyOf(value: Value): Buffer {
  return encodeKey([value ?? null], [])
}

const NAN = keyOf(NaN)

function compareTo(key: Buffer, bytes: Buffer, start: number, end: number): number {
  return bytes.compare(key, 0, key.length, start, end)
}

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
    return (bytes, start, end) => compareTo(key, bytes, start, end) === 0
  }
  const rank = getRank(operand)
  if (!RANGE_TYPES.has(rank) || isNaNValue(operand)) return null
  const key = keyOf(operand)
  const accepts = ACCEPTS[operator]
  return (bytes, start, end) =>
    bytes[start] === rank &&
    accepts(compareTo(key, bytes, start, end)) &&
    compareTo(NAN, bytes, start, end) !== 0
}

function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start + 1, end - 2).replaceAll('\0\u{FFFD}', '\0')
}

function patternTest({ regex }: Condition & { kind: 'regex' }): ComponentTest {
  const matches = compileRegexTest(regex)
  const same = keyOf(regex)
  return (bytes, start, end) =>
    (bytes[start] === TYPE_RANKS.string && matches(textOf(bytes, start, end))) ||
    compareTo(same, bytes, start, end) === 0
}

/** Without multikey entries, each element is at its position. A missing element has the key of null. */
function isDecidedByPosition(condition: Condition, index: Index): boolean {
  return !index.multikey.includes(true) && getBounds(condition) !== null
}

function componentTest(condition: Condition, index: Index): ComponentTest | null {
  if (hasArrayIndex(condition.path) && !isDecidedByPosition(condition, index)) return null
  if (condition.kind === 'compare') return comparisonTest(condition)
  if (condition.kind === 'regex') return patternTest(condition)
  if (condition.kind !== 'in' || !condition.operands.every((operand) => isSingle(operand)))
    return null
  const keys = new Set(condition.operands.map((operand) => keyOf(operand).toString('latin1')))
  return (bytes, start, end) => keys.has(bytes.toString('latin1', start, end))
}

function onKey(test: PartsTest, index: Index): KeyTest {
  const start = prefixBytes(index)
  return (key) => test(key, splitKey(key, start, index.directions))
}

function onComponent(test: ComponentTest, place: number, { directions }: Index): PartsTest {
  if (directions[place] !== -1)
    return (key, places) => test(key, places[place] ?? 0, places[place + 1] ?? 0)
  return (key, places) => {
    const component = key.subarray(places[place], places[place + 1]).map((byte) => byte ^ 255)
    return test(component as Buffer, 0, component.length)
  }
}

/**
 * Null if keys cannot decide the filter: they do not distinguish missing from null or number types,
 * and contain only the indexed fields.
 */
export function compileKeyTest(filter: Filter, index: Index): KeyTest | null {
  const test = compilePartsTest(filter, index)
  return test && onKey(test, index)
}

function compilePartsTest(filter: Filter, index: Index): PartsTest | null {
  if (filter.kind === 'expression') return null
  if (filter.kind === 'not') {
    const test = compilePartsTest(filter.of, index)
    return test && ((key, places) => !test(key, places))
  }
  if ('path' in filter) return conditionTest(filter, index)
  const tests: PartsTest[] = []
  for (const child of filter.of) {
    const test = compilePartsTest(child, index)
    if (!test) return null
    tests.push(test)
  }
  if (filter.kind === 'all') return (key, places) => tests.every((test) => test(key, places))
  const isAny = filter.kind === 'any'
  return (key, places) => tests.some((test) => test(key, places)) === isAny
}

function conditionTest(condition: Condition, index: Index): PartsTest | null {
  if (condition.kind === 'polygon') {
    const isUndecided = index.hasOddPlaces || index.multikey.includes(true)
    return isUndecided ? null : polygonPartsTest(condition, index)
  }
  const place = index.fields.findIndex(({ path }) => path === condition.path)
  const test = place < 0 ? null : componentTest(condition, index)
  return test && onComponent(test, place, index)
}

/** Accepts the keys of all documents that match these parts of a filter, and more. Null for all keys. */
export function compileKeyGuard(parts: readonly Filter[], index: Index): KeyTest | null {
  if (index.hasCutKeys || index.multikey.includes(true)) return null
  const tests = parts.flatMap((part) => {
    const test =
      part.kind === 'polygon' ? polygonPartsTest(part, index) : compilePartsTest(part, index)
    return test ? [test] : []
  })
  if (tests.length === 0) return null
  return onKey((key, places) => tests.every((test) => test(key, places)), index)
}

/** Keys have the coordinates of a GeoJSON point but not its type, so keys of odd places can pass. */
function polygonPartsTest(
  { path, points }: Condition & { kind: 'polygon' },
  { places: fields, hasOddPlaces }: Index,
): PartsTest | null {
  if (fields?.path !== path) return null
  const { north, east } = fields
  const contains = compilePolygon(points)
  return (key, places) => {
    const x = readNumber(key, places[east] ?? 0)
    const y = readNumber(key, places[north] ?? 0)
    return x === null || y === null ? hasOddPlaces : contains(x, y)
  }
}

/** Null for another type, and for a number that is not exactly a double. */
function readNumber(key: Buffer, start: number): number | null {
  return key[start] === TYPE_RANKS.int ? decodeDouble(key, start + 1) : null
}
