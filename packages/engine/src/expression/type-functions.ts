import { Decimal128, Double, Long, ObjectId } from 'bson'
import { isInt32, isNumber, toDouble, toInt64 } from '../bson/numbers.ts'
import { getType } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import type { PlainFunction } from './evaluate.ts'

function fail(value: Value, target: string): CommandError {
  return new CommandError(
    'ConversionFailure',
    `Failed to convert ${getType(value)} to ${target} in $convert with no onError value`,
  )
}

function toText(value: Value): string {
  if (typeof value === 'string') return value
  if (isNumber(value) || typeof value === 'boolean' || value instanceof ObjectId)
    return value.toString()
  if (value instanceof Date) return value.toISOString()
  throw fail(value, 'string')
}

/** Fails for a decimal beyond the range of doubles. */
function toFinite(value: Value, target: string): number {
  const number = toNumber(value, target)
  if (Number.isFinite(number) || !(value instanceof Decimal128)) return number
  if (/^-?(?:Infinity|NaN)$/.test(value.toString())) return number
  throw fail(value, target)
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

function toNumber(value: Value, target: string): number {
  if (isNumber(value)) return toDouble(value)
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'string' && DECIMAL.test(value) && Number.isFinite(Number(value)))
    return Number(value)
  throw fail(value, target)
}

function toInt(value: Value): number {
  const number = Math.trunc(toNumber(value, 'int'))
  if (!isInt32(number) || (typeof value === 'string' && !/^[+-]?\d+$/.test(value)))
    throw fail(value, 'int')
  return number
}

function toLong(value: Value): Long {
  if (value instanceof Long) return value
  if (value instanceof Date) return Long.fromNumber(value.getTime())
  const integer = integerOf(value)
  if (integer === null) throw fail(value, 'long')
  return Long.fromBigInt(integer)
}

const MAX_LONG_DIGITS = 19

function integerOf(value: Value): bigint | null {
  if (typeof value !== 'string')
    return toInt64(isNumber(value) ? value : new Double(toNumber(value, 'long')))
  const digits = /^[+-]?0*(\d+)$/.exec(value)?.[1]
  if (digits === undefined || digits.length > MAX_LONG_DIGITS) return null
  return toInt64(Decimal128.fromString(value))
}

function toDecimal(value: Value): Decimal128 {
  if (value instanceof Decimal128) return value
  try {
    return Decimal128.fromString(
      typeof value === 'string'
        ? value
        : String(
            isNumber(value) && !(value instanceof Double)
              ? value.toString()
              : toNumber(value, 'decimal'),
          ),
    )
  } catch {
    throw fail(value, 'decimal')
  }
}

const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/

/** A time without a zone is UTC, whatever the zone of the process. */
function parseDate(text: string): Date {
  const [, day = '', time = '00:00', zone = 'Z'] = DATE.exec(text) ?? []
  return new Date(`${day}T${time}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`)
}

function toDate(value: Value): Date {
  if (value instanceof Date) return value
  if (value instanceof ObjectId) return value.getTimestamp()
  if (typeof value === 'number') throw fail(value, 'date')
  const date = isNumber(value)
    ? new Date(toDouble(value))
    : parseDate(typeof value === 'string' ? value : '')
  if (Number.isNaN(date.getTime())) throw fail(value, 'date')
  return date
}

function toObjectId(value: Value): ObjectId {
  if (value instanceof ObjectId) return value
  if (typeof value === 'string' && /^[0-9a-fA-F]{24}$/.test(value)) return new ObjectId(value)
  throw fail(value, 'objectId')
}

function conversion(convert: (value: Value) => Value): PlainFunction {
  return {
    least: 1,
    most: 1,
    call: ([value]) => (value === null || value === undefined ? null : convert(value)),
  }
}

export const TYPE_FUNCTIONS: Readonly<Record<string, PlainFunction>> = {
  $type: { least: 1, most: 1, call: ([value]) => getType(value) },
  $isNumber: { least: 1, most: 1, call: ([value]) => isNumber(value) },
  $toString: conversion(toText),
  $toInt: conversion(toInt),
  $toLong: conversion(toLong),
  $toDouble: conversion(
    (value) => new Double(value instanceof Date ? value.getTime() : toFinite(value, 'double')),
  ),
  $toDecimal: conversion(toDecimal),
  $toBool: conversion((value) => (isNumber(value) ? toDouble(value) !== 0 : value !== false)),
  $toDate: conversion(toDate),
  $toObjectId: conversion(toObjectId),
}
