import { isRecord } from '../../base/is-record.ts'
import type { Data } from '../../schema/definition.ts'

/** Null becomes `$null`, because query strings have no null. */
export function queryOfObject(query: Readonly<Record<string, unknown>>): Data {
  const members = Object.entries(query).filter(([, value]) => value !== undefined)
  return Object.fromEntries(members.map(([name, value]) => memberOf(name, value)))
}

function memberOf(name: string, value: unknown): readonly [string, unknown] {
  if (value === null && name === '$eq') return ['$null', 'true']
  if (value === null && name === '$ne') return ['$notNull', 'true']
  return [name, valueOf(value)]
}

function valueOf(value: unknown): unknown {
  if (value === null) return { $null: 'true' }
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(valueOf)
  if (isRecord(value)) return queryOfObject(value)
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : value
}
