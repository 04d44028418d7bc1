import type { Document } from 'mongodb'
import type { QueryShape } from '../../base/observed.ts'
import { isRecord } from '../../base/is-record.ts'

const MAX_NAMES = 20

const LOGICAL: ReadonlySet<string> = new Set(['$and', '$or', '$nor'])

/** Prefix of fields that our pipelines add, such as results of a `$lookup`. */
const MADE_UP = 'quire_'

/** Returns null for a command without a filter, such as a write, `getMore` or `ping`. */
export function shapeOf(name: string, command: Document): QueryShape | null {
  const collection: unknown = command[name]
  if (typeof collection !== 'string') return null
  switch (name) {
    case 'find':
      return shape(collection, [command['filter']], command['sort'])
    case 'count':
    case 'distinct':
      return shape(collection, [command['query']], null)
    case 'aggregate':
      return shapeOfPipeline(collection, command['pipeline'])
    default:
      return null
  }
}

function shapeOfPipeline(collection: string, pipeline: unknown): QueryShape {
  const stages = Array.isArray(pipeline) ? pipeline.filter(isRecord) : []
  const matches = stages.map((stage): unknown => stage['$match'])
  return shape(collection, matches, stages.find((stage) => '$sort' in stage)?.['$sort'])
}

function shape(collection: string, filters: readonly unknown[], sort: unknown): QueryShape {
  const filtered = new Set<string>()
  for (const filter of filters) collectNames(filter, filtered)
  const sorted = sortKeysOf(sort).filter(isStored)
  return {
    collection,
    filtered: [...filtered].toSorted().slice(0, MAX_NAMES),
    sorted: sorted.slice(0, MAX_NAMES),
  }
}

function collectNames(filter: unknown, names: Set<string>, prefix = ''): void {
  if (!isRecord(filter)) return
  for (const [key, value] of Object.entries(filter)) {
    if (LOGICAL.has(key)) collectFromAll(value, names, prefix)
    else if (!key.startsWith('$') && isStored(key)) collectFromOne(key, value, names, prefix)
  }
}

function collectFromAll(filters: unknown, names: Set<string>, prefix: string): void {
  if (!Array.isArray(filters)) return
  for (const one of filters) collectNames(one, names, prefix)
}

/** Below an attribute, only `$elemMatch` contains further attribute names, possibly in a `$not`. */
function collectFromOne(key: string, value: unknown, names: Set<string>, prefix: string): void {
  const inner = elementConditions(value)
  if (inner === null) names.add(prefix + key)
  else collectNames(inner, names, `${prefix}${key}.`)
}

function sortKeysOf(sort: unknown): readonly string[] {
  if (sort instanceof Map) return [...(sort as ReadonlyMap<string, unknown>)].map(sortKeyOf)
  return isRecord(sort) ? Object.entries(sort).map(sortKeyOf) : []
}

/** Formats a sort key as in requests: `views`, `views:desc`. */
export function sortKeyOf([name, direction]: readonly [string, unknown]): string {
  return Number(direction) === -1 ? `${name}:desc` : name
}

function elementConditions(value: unknown): unknown {
  if (!isRecord(value)) return null
  return value['$elemMatch'] ?? (isRecord(value['$not']) ? elementConditions(value['$not']) : null)
}

function isStored(name: string): boolean {
  return !name.startsWith(MADE_UP)
}
