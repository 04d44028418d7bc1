import { encodeKey } from '../bson/encode-key.ts'
import { toDocument, createDocument } from '../bson/values.ts'
import type { Document, TypeName, Value } from '../bson/values.ts'
import type { Condition, Filter } from '../filter/filter.ts'

const TYPE_CODES: Readonly<Record<TypeName, number>> = {
  double: 1, string: 2, object: 3, array: 4, binData: 5, missing: 6, objectId: 7, bool: 8, date: 9, null: 10,
  regex: 11, javascript: 13, symbol: 14, javascriptWithScope: 15, int: 16, timestamp: 17, long: 18, decimal: 19,
  minKey: -1, maxKey: 127,
} // prettier-ignore

const NUMBERS: readonly TypeName[] = ['double', 'int', 'long', 'decimal']

function typesOf(types: ReadonlySet<TypeName>): readonly Value[] {
  const hasNumbers = NUMBERS.every((name) => types.has(name))
  const others = [...types].filter((name) => !hasNumbers || !NUMBERS.includes(name))
  const codes = others.map((name) => TYPE_CODES[name]).sort((a, b) => a - b)
  return hasNumbers ? ['number', ...codes] : codes
}

function operatorOf(condition: Condition): Document {
  if (condition.kind === 'compare') return toDocument({ [condition.operator]: condition.operand })
  if (condition.kind === 'exists') return toDocument({ $exists: true })
  if (condition.kind === 'type') return toDocument({ $type: [...typesOf(condition.types)] })
  throw new TypeError(`a partial index has no condition of kind ${condition.kind}`)
}

/** mongod's order of conditions. Conditions with the same operator are sorted by path. */
const ORDER = ['$eq', '$lte', '$lt', '$gt', '$gte', '$exists', '$type']

interface Leaf {
  readonly path: string
  readonly rank: number
  readonly document: Document
}

function compareLeaves(a: Leaf, b: Leaf): number {
  return a.rank - b.rank || (a.path < b.path ? -1 : Number(a.path > b.path))
}

function leavesOf(filter: Filter): readonly Leaf[] {
  if (filter.kind === 'all') return filter.of.flatMap((child) => leavesOf(child))
  if (!('path' in filter))
    throw new TypeError(`a partial index has no filter of kind ${filter.kind}`)
  const operator = operatorOf(filter)
  const { path } = filter
  const rank = ORDER.indexOf(Object.keys(operator)[0] ?? '')
  return [{ path, rank, document: toDocument({ [path]: operator }) }]
}

/**
 * Returns the filter in the form that MongoDB reports since 4.9 (observed on mongod 4.9):
 * `{ a: 1, b: { $gt: '' } }` becomes `{ $and: [{ a: { $eq: 1 } }, { b: { $gt: '' } }] }`.
 */
export function normalizePartial(filter: Filter): Document {
  const leaves = [...leavesOf(filter)].sort(compareLeaves).map(({ document }) => document)
  const [only, ...others] = leaves
  if (others.length > 0) return toDocument({ $and: leaves })
  return only ?? createDocument()
}

/** Equal for filters with the same meaning: order does not matter, and 1 equals 1.0. */
export function makePartialKey(filter: Filter): string {
  return leavesOf(filter)
    .map(({ document }) => encodeKey([document], []).toString('latin1'))
    .sort()
    .join('\n')
}
