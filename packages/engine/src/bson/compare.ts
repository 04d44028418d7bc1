import type { Binary, BSONRegExp, BSONSymbol, Code, ObjectId, Timestamp } from 'bson'
import { compareNumbers } from './numbers.ts'
import type { NumberValue } from './numbers.ts'
import { TYPE_RANKS, getType } from './values.ts'
import type { Document, Value } from './values.ts'

/** Compares by code point. JavaScript's own order differs above the surrogates. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return codePointRank(left) - codePointRank(right)
  }
  return a.length - b.length
}

// Surrogates encode code points above the rest of the basic plane.
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

function compareDocuments(a: Document, b: Document): number {
  const left = Object.keys(a)
  const right = Object.keys(b)
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i++) {
    const result = compareFields(a, left[i] ?? '', b, right[i] ?? '')
    if (result !== 0) return result
  }
  return left.length - right.length
}

function compareFields(a: Document, left: string, b: Document, right: string): number {
  const types = TYPE_RANKS[getType(a[left])] - TYPE_RANKS[getType(b[right])]
  if (types !== 0) return types
  return compareStrings(left, right) || compareValues(a[left], b[right])
}

function compareArrays(a: readonly Value[], b: readonly Value[]): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const result = compareValues(a[i], b[i])
    if (result !== 0) return result
  }
  return a.length - b.length
}

function compareBinaries(a: Binary, b: Binary): number {
  return (
    a.position - b.position ||
    a.sub_type - b.sub_type ||
    Buffer.compare(a.buffer.subarray(0, a.position), b.buffer.subarray(0, b.position))
  )
}

function compareRegexes(a: BSONRegExp, b: BSONRegExp): number {
  return compareStrings(a.pattern, b.pattern) || compareStrings(a.options, b.options)
}

function textOf(value: string | BSONSymbol): string {
  return typeof value === 'string' ? value : value.value
}

const WITHIN: Readonly<Record<number, (a: never, b: never) => number>> = {
  [TYPE_RANKS.int]: (a: NumberValue, b: NumberValue) => compareNumbers(a, b),
  [TYPE_RANKS.string]: (a: string | BSONSymbol, b: string | BSONSymbol) =>
    compareStrings(textOf(a), textOf(b)),
  [TYPE_RANKS.object]: compareDocuments,
  [TYPE_RANKS.array]: compareArrays,
  [TYPE_RANKS.binData]: compareBinaries,
  [TYPE_RANKS.objectId]: (a: ObjectId, b: ObjectId) => Buffer.compare(a.id, b.id),
  [TYPE_RANKS.bool]: (a: boolean, b: boolean) => Number(a) - Number(b),
  [TYPE_RANKS.date]: (a: Date, b: Date) => a.getTime() - b.getTime(),
  [TYPE_RANKS.timestamp]: (a: Timestamp, b: Timestamp) => a.compare(b),
  [TYPE_RANKS.regex]: compareRegexes,
  [TYPE_RANKS.javascript]: (a: Code, b: Code) => compareStrings(a.code, b.code),
  [TYPE_RANKS.javascriptWithScope]: (a: Code, b: Code) => compareStrings(a.code, b.code),
}

/** MongoDB's comparison order over all types. Missing sorts below null. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  const rank = TYPE_RANKS[getType(a)]
  const types = rank - TYPE_RANKS[getType(b)]
  return types !== 0 ? types : (WITHIN[rank]?.(a as never, b as never) ?? 0)
}

export function areEqualValues(a: Value, b: Value): boolean {
  return compareValues(a, b) === 0
}
