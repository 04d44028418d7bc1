import { Decimal128, type Document } from 'mongodb'
import { Decimal } from '../../schema/values/decimal.ts'

/** Converts decimals at any depth. Other values are returned as they are: copying is expensive. */
export function toBson(value: unknown): unknown {
  return holdsDecimal(value) ? converted(value) : value
}

function holdsDecimal(value: unknown): boolean {
  if (value instanceof Decimal) return true
  if (Array.isArray(value)) return value.some(holdsDecimal)
  if (!isPlainObject(value)) return false
  return Object.keys(value).some((key) => holdsDecimal((value as Document)[key]))
}

function converted(value: unknown): unknown {
  if (value instanceof Decimal) return Decimal128.fromString(value.text)
  if (Array.isArray(value)) return value.map(converted)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, converted(item)]))
}

function isPlainObject(value: unknown): value is object {
  if (value === null || typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The cardinality may have changed since the write. */
export function relationListOf(stored: unknown): readonly string[] {
  if (Array.isArray(stored)) return stored as readonly string[]
  return typeof stored === 'string' ? [stored] : []
}

export function unique(documentIds: readonly string[]): readonly string[] {
  return [...new Set(documentIds)]
}
