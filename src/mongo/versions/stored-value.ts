import { Decimal128 } from 'mongodb'
import { Decimal } from '../../schema/values/decimal.ts'

/**
 * A value in stored form as the driver takes it: decimals become Decimal128, at any depth. The rest
 * (text, numbers, bigint as Int64, dates, what was read from the database) the driver knows itself.
 */
export function toBson(value: unknown): unknown {
  if (value instanceof Decimal) return Decimal128.fromString(value.text)
  if (Array.isArray(value)) return value.map(toBson)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toBson(item)]))
}

function isPlainObject(value: unknown): value is object {
  if (value === null || typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
