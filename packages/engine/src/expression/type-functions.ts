import { Decimal128, Double, Long, ObjectId } from 'bson'
import { isInt32, isNumber, toDouble } from '../bson/numbers.ts'
import { typeOf } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import type { PlainFunction } from './evaluate.ts'

function fail(value: Value, target: string): CommandError {
  return new CommandError(
    'ConversionFailure',
    `Failed to convert ${typeOf(value)} to ${target} in $convert with no onError value`,
  )
}

function toText(value: Value): string {
  if (typeof value === 'string') return value
  if (isNumber(value) || typeof value === 'boolean' || value instanceof ObjectId)
    return value.toString()
  if (value instanceof Date) return value.toISOString()
  throw fail(value, 'string')
}

/** As a double; a decimal that no double reaches is none. */
function toFinite(value: Value, target: string): number {
  const number = toNumber(value, target)
  if (Number.isFinite(number) || !(value instanceof Decimal128)) return number
  if (/^-?(?:Infinity|NaN)$/.test(value.toString())) return number
  throw fail(value, target)
}

function toNumber(value: Value, target: string): number {
  if (isNumber(value)) return toDouble(value)
  if (typeof value === 'boolean') return Number(value)
  if (
    typeof value === 'string' &&
    value.trim() === value &&
    value !== '' &&
    Number.isFinite(Number(value))
  )
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
  if (typeof value === 'string' && /^[+-]?\d{1,18}$/.test(value))
    return Long.fromString(value.replace('+', ''))
  const number = Math.trunc(toNumber(value, 'long'))
  if (typeof value === 'string' || Math.abs(number) >= 2 ** 63) throw fail(value, 'long')
  return Long.fromNumber(number)
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

function toDate(value: Value): Date {
  if (value instanceof Date) return value
  if (value instanceof ObjectId) return value.getTimestamp()
  const date = isNumber(value)
    ? new Date(toDouble(value))
    : new Date(typeof value === 'string' ? value : NaN)
  if (Number.isNaN(date.getTime()) || typeof value === 'number') throw fail(value, 'date')
  return date
}

function toObjectId(value: Value): ObjectId {
  if (value instanceof ObjectId) return value
  if (typeof value === 'string' && /^[0-9a-fA-F]{24}$/.test(value)) return new ObjectId(value)
  throw fail(value, 'objectId')
}

/** A conversion of one value; null and missing stay null. */
function conversion(convert: (value: Value) => Value): PlainFunction {
  return {
    least: 1,
    most: 1,
    call: ([value]) => (value === null || value === undefined ? null : convert(value)),
  }
}

export const TYPES: Readonly<Record<string, PlainFunction>> = {
  $type: { least: 1, most: 1, call: ([value]) => typeOf(value) },
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
