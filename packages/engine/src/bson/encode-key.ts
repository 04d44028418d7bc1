import type { Binary, BSONRegExp, BSONSymbol, Code, ObjectId, Timestamp, Decimal128 } from 'bson'
import { Double, Long } from 'bson'
import { enlarge } from './enlarge.ts'
import { compareDecimals, toDecimal, parseDecimal, toDouble } from './numbers.ts'
import type { Decimal, NumberValue } from './numbers.ts'
import { TYPE_RANKS, getType } from './values.ts'
import type { Document, TypeName, Value } from './values.ts'

// Encodes values so that the order of the bytes is the order of the values. No encoding is a prefix
// of another, so components can be concatenated in compound keys and inverted for descending order.

let buffer = Buffer.allocUnsafe(4096)
let at = 0

function reserve(length: number): number {
  if (at + length > buffer.length) buffer = enlarge(buffer, at, length)
  const start = at
  at += length
  return start
}

// `reserve` comes first, because it may replace the buffer.
function putByte(byte: number): void {
  const place = reserve(1)
  buffer[place] = byte
}

// Zero bytes are escaped as 00 FF. 00 01 ends the text.
function putText(text: string): void {
  const start = reserve(text.length * 3 + 1)
  const length = buffer.write(text, start)
  at = start + length
  if (text.includes('\0')) escapeZeros(start)
  putByte(0)
  putByte(1)
}

function escapeZeros(start: number): void {
  const text = Buffer.from(buffer.subarray(start, at))
  at = start
  for (const byte of text) {
    putByte(byte)
    if (byte === 0) putByte(0xff)
  }
}

function invert(from: number): void {
  for (let i = from; i < at; i++) buffer[i] = 255 - (buffer[i] ?? 0)
}

const EXACT = 0x03

const bits = new DataView(new ArrayBuffer(8))

function putDouble(value: number): void {
  const start = reserve(8)
  buffer.writeDoubleBE(value, start)
  if ((buffer[start] ?? 0) < 128) buffer[start] = (buffer[start] ?? 0) + 128
  else invert(start)
}

/** The number at `from` in a key. Null if it is not exactly a double. */
export function decodeDouble(key: Buffer, from: number): number | null {
  if (key[from + 8] !== EXACT) return null
  for (let i = 0; i < 8; i++) bits.setUint8(i, key[from + i] ?? 0)
  const high = bits.getUint32(0)
  if (high >= 0x80000000) {
    bits.setUint32(0, high - 0x80000000)
    return bits.getFloat64(0)
  }
  bits.setUint32(0, ~high)
  bits.setUint32(4, ~bits.getUint32(4))
  return bits.getFloat64(0)
}

/** The nearest double towards zero. */
function truncate(value: Decimal, nearest: number): number {
  if (!Number.isFinite(nearest)) return nearest > 0 ? Number.MAX_VALUE : -Number.MAX_VALUE
  const over = compareDecimals(toDecimal(nearest), value)
  const isLarger = value.coefficient < 0n ? over < 0 : over > 0
  if (!isLarger) return nearest === 0 && value.coefficient < 0n ? -0 : nearest
  bits.setFloat64(0, nearest)
  bits.setBigUint64(0, bits.getBigUint64(0) - 1n)
  return bits.getFloat64(0)
}

// Encodes a value between two doubles: the position of its first digit, then its digits.
function putDigits({ coefficient, exponent }: Decimal): void {
  const isNegative = coefficient < 0n
  const digits = (isNegative ? -coefficient : coefficient).toString()
  putByte(isNegative ? 0x02 : 0x04)
  const start = at
  const place = reserve(2)
  buffer.writeUInt16BE(exponent + digits.length + 32768, place)
  for (const digit of digits.replace(/0+$/, '')) putByte(digit.charCodeAt(0))
  putByte(0)
  if (isNegative) invert(start)
}

function putNumber(value: NumberValue): void {
  const nearest = toDouble(value)
  const isDouble = typeof value === 'number' || value instanceof Double
  if (isDouble || (value instanceof Long && Number.isSafeInteger(nearest))) {
    putDouble(nearest === 0 ? 0 : Number.isNaN(nearest) ? -Infinity : nearest)
    putByte(Number.isNaN(nearest) ? 0x01 : EXACT)
    return
  }
  putWide(value, nearest)
}

function putWide(value: Long | Decimal128 | NumberValue, nearest: number): void {
  const text = value.toString()
  if (/Infinity|NaN/.test(text)) {
    putDouble(Number.isNaN(nearest) ? -Infinity : nearest)
    putByte(Number.isNaN(nearest) ? 0x01 : EXACT)
    return
  }
  const exact = parseDecimal(text)
  if (exact.coefficient === 0n) {
    putDouble(0)
    putByte(EXACT)
    return
  }
  const truncated = truncate(exact, nearest)
  putDouble(truncated)
  if (compareDecimals(toDecimal(truncated), exact) === 0) putByte(EXACT)
  else putDigits(exact)
}

function putInt64(value: bigint, isSigned: boolean): void {
  const place = reserve(8)
  buffer.writeBigUInt64BE(isSigned ? value + (1n << 63n) : value, place)
}

function putBytes(bytes: Uint8Array): void {
  const place = reserve(bytes.length)
  buffer.set(bytes, place)
}

function putBinary(value: Binary): void {
  const place = reserve(4)
  buffer.writeUInt32BE(value.position, place)
  putByte(value.sub_type)
  putBytes(value.buffer.subarray(0, value.position))
}

function putDocument(document: Document): void {
  for (const field of Object.keys(document)) {
    const type = getType(document[field])
    putByte(TYPE_RANKS[type])
    putText(field)
    putContent(type, document[field])
  }
  putByte(0)
}

function putArray(values: readonly Value[]): void {
  for (const value of values) putValue(value)
  putByte(0)
}

function nothing(): void {
  return undefined
}

const CONTENT: Readonly<Record<TypeName, (value: never) => void>> = {
  missing: nothing,
  minKey: nothing,
  null: nothing,
  maxKey: nothing,
  int: putNumber,
  long: putNumber,
  double: putNumber,
  decimal: putNumber,
  string: putText,
  symbol: (value: BSONSymbol) => putText(value.value),
  object: putDocument,
  array: putArray,
  binData: putBinary,
  objectId: (value: ObjectId) => putBytes(value.id),
  bool: (value: boolean) => putByte(value ? 1 : 0),
  date: (value: Date) => putInt64(BigInt(value.getTime()), true),
  timestamp: (value: Timestamp) => putInt64(value.toBigInt(), false),
  regex: (value: BSONRegExp) => {
    putText(value.pattern)
    putText(value.options)
  },
  javascript: (value: Code) => putText(value.code),
  javascriptWithScope: (value: Code) => putText(value.code),
}

function putContent(type: TypeName, value: Value): void {
  CONTENT[type](value as never)
}

function putValue(value: Value): void {
  const type = getType(value)
  putByte(TYPE_RANKS[type])
  putContent(type, value)
}

/** Each component ascends (1) or descends (-1). `undefined` encodes an empty array, below null. */
export function encodeKey(values: readonly Value[], directions: readonly number[]): Buffer {
  at = 0
  values.forEach((value, i) => {
    const start = at
    putValue(value)
    if (directions[i] === -1) invert(start)
  })
  return Buffer.from(buffer.subarray(0, at))
}
