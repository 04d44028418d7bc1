import { isRecord } from '../base/is-record.ts'
import type { DeclaredPopulate } from './definition.ts'

/** Numbers and booleans become texts, as in a query string. */
export function toQueryForm(asked: DeclaredPopulate): DeclaredPopulate {
  if (typeof asked === 'string' || isList(asked)) return asked
  return Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, toText(value)]))
}

function isList(asked: DeclaredPopulate): asked is readonly string[] {
  return Array.isArray(asked)
}

function toText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toText)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toText(inner)]))
}
