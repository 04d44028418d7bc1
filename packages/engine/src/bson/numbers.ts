import { Decimal128, Double, Long } from 'bson'
import type { Value } from './values.ts'

export type NumberValue = number | Double | Long | Decimal128

export function isNumber(value: Value): value is NumberValue {
  return (
    typeof value === 'number' ||
    value instanceof Double ||
    value instanceof Long ||
    value instanceof Decimal128
  )
}

export function toDouble(value: NumberValue): number {
  if (typeof value === 'number') return value
  if (value instanceof Double) return value.value
  return value instanceof Long ? value.toNumber() : Number(value.toString())
}

export function isNaNValue(value: Value): boolean {
  return (value instanceof Double || value instanceof Decimal128) && Number.isNaN(toDouble(value))
}

export interface Decimal {
  readonly coefficient: bigint
  readonly exponent: number
}

/** @param text a finite number as Decimal128 and Long print it */
export function parseDecimal(text: string): Decimal {
  const [mantissa = '0', exponent = '0'] = text.toUpperCase().split('E')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { coefficient: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

const DOUBLE = new DataView(new ArrayBuffer(8))

export function toDecimal(value: number): Decimal {
  DOUBLE.setFloat64(0, value)
  const bits = DOUBLE.getBigUint64(0)
  const raised = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  const mantissa = raised === 0 ? fraction : fraction | (1n << 52n)
  const power = (raised === 0 ? 1 : raised) - 1075
  const signed = value < 0 ? -mantissa : mantissa
  return power >= 0
    ? { coefficient: signed << BigInt(power), exponent: 0 }
    : { coefficient: signed * 5n ** BigInt(-power), exponent: power }
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const low = Math.min(a.exponent, b.exponent)
  const left = a.coefficient * 10n ** BigInt(a.exponent - low)
  const right = b.coefficient * 10n ** BigInt(b.exponent - low)
  if (left === right) return 0
  return left < right ? -1 : 1
}

function isSafe(value: NumberValue): boolean {
  return (
    !(value instanceof Decimal128) &&
    (!(value instanceof Long) || Number.isSafeInteger(value.toNumber()))
  )
}

function order(a: number, b: number): number {
  if (a < b) return -1
  if (a > b) return 1
  if (a === b) return 0
  return Number(Number.isNaN(b)) - Number(Number.isNaN(a))
}

function exactly(value: NumberValue): Decimal {
  return typeof value === 'number' || value instanceof Double
    ? toDecimal(toDouble(value))
    : parseDecimal(value.toString())
}

function areFinite(left: number, right: number): boolean {
  return Number.isFinite(left) && Number.isFinite(right)
}

/** Compares by exact value across the number types. NaN equals itself and sorts lowest. */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const left = toDouble(a)
  const right = toDouble(b)
  if (isSafe(a) && isSafe(b)) return order(left, right)
  if (!areFinite(left, right)) return unlike(a, b)
  if (Math.abs(left - right) > Math.abs(left) * 1e-9) return order(left, right)
  return compareDecimals(exactly(a), exactly(b))
}

const INFINITE = /Infinity|NaN/

// A Decimal128 beyond the range of doubles prints as a finite number but converts to Infinity.
function unlike(a: NumberValue, b: NumberValue): number {
  const finiteA = !INFINITE.test(a.toString())
  const finiteB = !INFINITE.test(b.toString())
  if (finiteA && finiteB) return compareDecimals(exactly(a), exactly(b))
  const left = finiteA && Number.isNaN(toDouble(b)) ? 1 : finiteA ? 0 : toDouble(a)
  const right = finiteB && Number.isNaN(toDouble(a)) ? 1 : finiteB ? 0 : toDouble(b)
  return order(left, right)
}

const INT_MIN = -2147483648
const INT_MAX = 2147483647

export function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= INT_MIN && value <= INT_MAX && !Object.is(value, -0)
}

const LONG_MIN = -(1n << 63n)
const LONG_MAX = (1n << 63n) - 1n

function toBigInt(value: number | Long): bigint {
  return typeof value === 'number' ? BigInt(value) : value.toBigInt()
}

function isInteger(value: NumberValue): value is number | Long {
  return typeof value === 'number' || value instanceof Long
}

type Sign = keyof typeof bigints

/** The wider type. An int that overflows becomes a long; a long returns null. */
export function computeArithmetic(a: NumberValue, b: NumberValue, sign: Sign): NumberValue | null {
  if (a instanceof Decimal128 || b instanceof Decimal128) return decimalArithmetic(a, b, sign)
  if (!isInteger(a) || !isInteger(b)) {
    return new Double(doubles[sign](toDouble(a), toDouble(b)))
  }
  const exact = bigints[sign](toBigInt(a), toBigInt(b))
  if (typeof a === 'number' && typeof b === 'number' && isInt32(Number(exact))) return Number(exact)
  return exact < LONG_MIN || exact > LONG_MAX ? null : Long.fromBigInt(exact)
}

const doubles = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '%': (a: number, b: number) => a % b,
}

const bigints = {
  '+': (a: bigint, b: bigint) => a + b,
  '-': (a: bigint, b: bigint) => a - b,
  '*': (a: bigint, b: bigint) => a * b,
  '%': (a: bigint, b: bigint) => a % b,
}

// A double enters decimal arithmetic with 15 significant digits, as in MongoDB.
function decimalText(value: NumberValue): string {
  return value instanceof Double ? String(Number(value.value.toPrecision(15))) : value.toString()
}

function decimalArithmetic(a: NumberValue, b: NumberValue, sign: Sign): Decimal128 {
  const texts = [decimalText(a), decimalText(b)] as const
  if (texts.some((text) => INFINITE.test(text))) {
    return Decimal128.fromString(String(doubles[sign](toDouble(a), toDouble(b))))
  }
  const left = parseDecimal(texts[0])
  const right = parseDecimal(texts[1])
  if (sign === '*') {
    return toDecimal128({
      coefficient: left.coefficient * right.coefficient,
      exponent: left.exponent + right.exponent,
    })
  }
  const exponent = Math.min(left.exponent, right.exponent)
  const coefficient = bigints[sign](
    left.coefficient * 10n ** BigInt(left.exponent - exponent),
    right.coefficient * 10n ** BigInt(right.exponent - exponent),
  )
  return toDecimal128({ coefficient, exponent })
}

const MAX_DIGITS = 34
const MIN_EXPONENT = -6176
const MAX_EXPONENT = 6111

/** Drops the last digits, rounding half to even. */
function shorten(magnitude: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(digits)
  const rest = (magnitude % unit) * 2n
  const quotient = magnitude / unit
  return rest > unit || (rest === unit && quotient % 2n === 1n) ? quotient + 1n : quotient
}

/** Rounds like IEEE 754: to 34 digits, to infinity above the range, to zero below it. */
function toDecimal128({ coefficient, exponent }: Decimal): Decimal128 {
  const sign = coefficient < 0n ? '-' : ''
  let magnitude = coefficient < 0n ? -coefficient : coefficient
  let power = exponent
  const digits = magnitude.toString().length
  const tooMany = Math.max(digits - MAX_DIGITS, MIN_EXPONENT - power, 0)
  // A value below half of the last place rounds to zero, whatever its number of digits.
  magnitude = tooMany > digits ? 0n : shorten(magnitude, tooMany)
  power += tooMany
  const padding = magnitude === 0n ? 0 : Math.max(power - MAX_EXPONENT, 0)
  if (magnitude.toString().length + padding > MAX_DIGITS) {
    if (padding > 0) return Decimal128.fromString(`${sign}Infinity`)
    return toDecimal128({ coefficient: sign ? -magnitude : magnitude, exponent: power })
  }
  magnitude *= 10n ** BigInt(padding)
  return Decimal128.fromString(`${sign}${magnitude}E${Math.min(power, MAX_EXPONENT)}`)
}

/** Truncates the fraction. Returns null if the result does not fit into 64 bits. */
export function toInt64(value: NumberValue): bigint | null {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : null
  if (value instanceof Long) return value.toBigInt()
  // Also rejects NaN. Any value within the limit has at most 19 digits before its point.
  if (!(Math.abs(toDouble(value)) <= 2 ** 63)) return null
  const integer = truncated(exactly(value))
  return integer < LONG_MIN || integer > LONG_MAX ? null : integer
}

function truncated({ coefficient, exponent }: Decimal): bigint {
  return exponent >= 0
    ? coefficient * 10n ** BigInt(exponent)
    : coefficient / 10n ** BigInt(-exponent)
}
