import { Binary, DBRef, Decimal128, Double, Int32, Long, ObjectId } from 'mongodb'
import type { AdoptedIdKind, ScalarType } from '../../schema/definition.ts'
import { significantDigits } from '../../schema/values/decimal.ts'
import { shownJson } from '../../schema/values/json-values.ts'
import {
  idOfText,
  isObjectIdText,
  membersOfReference,
  plainJson,
  uuidText,
} from '../versions/adopted-rows.ts'

/** Decodes values so that they keep their BSON type when they are encoded again. */
export const LOSSLESS = {
  useBigInt64: false,
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const

type NumberType = 'integer' | 'biginteger' | 'float' | 'decimal'

const NUMBERS: ReadonlySet<ScalarType> = new Set<ScalarType>([
  'integer',
  'biginteger',
  'float',
  'decimal',
])

export function isNumberType(type: ScalarType): type is NumberType {
  return NUMBERS.has(type)
}

const TEXTS: ReadonlySet<ScalarType> = new Set<ScalarType>(['string', 'text', 'richtext'])

/** The BSON value of an attribute: of the type that is stored, or of the declared type if that one cannot hold it. */
export function toForeign(type: ScalarType, stored: unknown, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (isNumberType(type)) return toForeignNumber(stored, textOf(value), type)
  if (type === 'json') return toForeignJson(stored, shownJson(value))
  const isId = TEXTS.has(type) && stored instanceof ObjectId && typeof value === 'string'
  return isId && isObjectIdText(value) ? ObjectId.createFromHexString(value) : value
}

/** The text of a number in one of its forms. */
export function textOf(value: unknown): string {
  return String(value)
}

function toForeignNumber(stored: unknown, text: string, type: NumberType): unknown {
  return likeStored(stored, text, type) ?? DECLARED[type](text)
}

/** Null if the stored type cannot hold the value. */
function likeStored(stored: unknown, text: string, type: NumberType): unknown {
  if (stored instanceof Int32) return isInt32(text) ? new Int32(Number(text)) : null
  if (stored instanceof Long) return isInt64(text) ? Long.fromString(text) : null
  if (stored instanceof Double) return isDouble(text, type) ? new Double(Number(text)) : null
  return stored instanceof Decimal128 ? Decimal128.fromString(text) : null
}

const DECLARED: Readonly<Record<NumberType, (text: string) => unknown>> = {
  integer: (text) => (isInt32(text) ? new Int32(Number(text)) : Long.fromString(text)),
  biginteger: (text) => Long.fromString(text),
  float: (text) => new Double(Number(text)),
  decimal: (text) => Decimal128.fromString(text),
}

const WHOLE = /^-?\d{1,19}$/

function isInt32(text: string): boolean {
  return WHOLE.test(text) && Number(text) === Math.trunc(Number(text)) && isWithin(text, 31n)
}

function isInt64(text: string): boolean {
  return WHOLE.test(text) && isWithin(text, 63n)
}

function isWithin(text: string, bits: bigint): boolean {
  const number = BigInt(text)
  return text !== '-0' && number >= -(2n ** bits) && number < 2n ** bits
}

/** MongoDB shows 15 digits of a double as a decimal. */
const DOUBLE_DIGITS = 15

function isDouble(text: string, type: NumberType): boolean {
  if (type === 'float') return true
  const number = Number(text)
  if (type !== 'decimal') return Number.isSafeInteger(number)
  const shown = number.toPrecision(DOUBLE_DIGITS)
  return Number.isFinite(number) && significantDigits(shown) === significantDigits(text)
}

function toForeignJson(stored: unknown, value: unknown): unknown {
  if (isShownAs(stored, value)) return stored
  if (Array.isArray(value)) {
    const elements: readonly unknown[] = Array.isArray(stored) ? stored : []
    return value.map((one, place) => toForeignJson(elements[place], one))
  }
  if (typeof value === 'object' && value !== null) {
    const members = isPlainObject(stored) ? stored : {}
    const own = (name: string): unknown =>
      Object.hasOwn(members, name) ? members[name] : undefined
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, toForeignJson(own(name), one)]),
    )
  }
  if (typeof value === 'number') return likeNumber(stored, value)
  return typeof value === 'string' ? likeText(stored, value) : value
}

function isShownAs(stored: unknown, value: unknown): boolean {
  if (stored === undefined) return false
  return JSON.stringify(plainJson(stored, 0)) === JSON.stringify(value)
}

function likeNumber(stored: unknown, value: number): unknown {
  // JSON shows decimals as texts.
  if (![Int32, Long, Double].some((type) => stored instanceof type)) return value
  const isWhole = Number.isInteger(value) && !(stored instanceof Double)
  return toForeignNumber(
    stored,
    String(value),
    isWhole && isInt64(String(value)) ? 'integer' : 'float',
  )
}

function likeText(stored: unknown, text: string): unknown {
  return sameType(stored, text) ?? text
}

/** Null if the stored type cannot hold the text. */
function sameType(stored: unknown, text: string): unknown {
  if (stored instanceof ObjectId) return isObjectIdText(text) ? idOfText('objectId', text) : null
  if (stored instanceof Long) return isLarge(text) ? Long.fromString(text) : null
  if (stored instanceof Date) return toDate(text)
  if (stored instanceof Binary) return uuidText(stored) === null ? null : idOfText('uuid', text)
  return stored instanceof Decimal128 ? toDecimal(text) : null
}

function toDate(text: string): Date | null {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : null
}

function toDecimal(text: string): Decimal128 | null {
  if (!DECIMAL.test(text)) return null
  const decimal = Decimal128.fromString(text)
  return decimal.toString() === text ? decimal : null
}

const DECIMAL = /^-?\d{1,20}(?:\.\d{1,14})?$/

/** Smaller ones are shown as numbers. */
function isLarge(text: string): boolean {
  return isInt64(text) && String(BigInt(text)) === text && !Number.isSafeInteger(Number(text))
}

/** A reference of the type that is stored: references to ObjectIds may be texts, and numbers have several types. */
export function toForeignId(kind: AdoptedIdKind, stored: unknown, documentId: string): unknown {
  if (kind === 'objectId' && typeof stored === 'string') return documentId
  const id = idOfText(kind, documentId) ?? documentId
  return typeof id === 'number' ? likeNumber(stored, id) : id
}

/** The documentId of a stored reference. Null for values that are shown as no reference. */
export function foreignIdText(kind: AdoptedIdKind, stored: unknown): string | null {
  if (typeof stored === 'string') return kind === 'objectId' || kind === 'text' ? stored : null
  if (stored instanceof ObjectId) return kind === 'objectId' ? stored.toHexString() : null
  if (stored instanceof Binary) return kind === 'uuid' ? uuidText(stored) : null
  const isNumber = [Int32, Long, Double, Decimal128].some((type) => stored instanceof type)
  return kind === 'number' && isNumber ? String(stored) : null
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

/** References become the documents that the database has. */
export function copyForeign(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyForeign)
  const members = value instanceof DBRef ? membersOfReference(value) : value
  if (!isPlainObject(members)) return value
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [name, copyForeign(one)]))
}

/** The driver gives objects with a member `_bsontype` another meaning, so they become maps. */
export function encodable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encodable)
  if (!isPlainObject(value)) return value
  const members = Object.entries(value).map(([name, one]) => [name, encodable(one)] as const)
  return Object.hasOwn(value, '_bsontype') ? new Map(members) : Object.fromEntries(members)
}
