import type { ContentTypePlan } from '../../schema/plan.ts'
import type { QueryShape } from '../../observed.ts'
import type { CollectionIndexes } from './inspect-indexes.ts'

/** What every query names, or the indexes of every content-type are made of. */
const ALWAYS: ReadonlySet<string> = new Set(['_id', 'id', 'documentId', 'locale', 'status'])

/** Which versions are meant: an index may have these before the attribute. */
const SELECTION: ReadonlySet<string> = new Set(['status', 'locale'])

/** The first attribute, with its direction, of each index that does not merely select versions. */
function leadingAttributes(keys: CollectionIndexes['keys']): ReadonlySet<string> {
  return new Set(keys.flatMap((key) => key.find((name) => !SELECTION.has(name)) ?? []))
}

/** What a query does without an index. */
export interface IndexNeed {
  readonly attribute: string
  readonly use: 'filtered' | 'sorted'
  /** What the index must have, before the `id`. */
  readonly order: readonly string[]
}

/**
 * The attributes that a query of this shape filters or sorts by without an index. One that has an index for one of its
 * conditions needs none for the others; an order needs one that has all of it.
 */
export function needsOf(
  { filtered, sorted }: Pick<QueryShape, 'filtered' | 'sorted'>,
  keys: CollectionIndexes['keys'],
): readonly IndexNeed[] {
  const indexed = leadingAttributes(keys)
  const byChoice = filtered.filter((name) => !ALWAYS.has(name))
  const pinned = filtered.some((name) => name === '_id' || name === 'documentId')
  const isServed = (name: string): boolean => indexed.has(name) || indexed.has(`${name}:desc`)
  if (pinned || byChoice.some(isServed)) return []
  const [first] = sorted
  const needsOrder = first !== undefined && !ALWAYS.has(nameIn(first)) && !isOrdered(keys, sorted)
  return [
    ...byChoice.map((attribute): IndexNeed => ({ attribute, use: 'filtered', order: [attribute] })),
    ...(needsOrder ? [{ attribute: first, use: 'sorted', order: beforeId(sorted) } as const] : []),
  ]
}

/** Whether one index has all of an order, or of its opposite, right behind what selects versions. */
function isOrdered(keys: CollectionIndexes['keys'], sorted: readonly string[]): boolean {
  return keys.some((key) => {
    const start = key.findIndex((name) => !SELECTION.has(name))
    if (start !== SELECTION.size) return false
    const has = (order: readonly string[]): boolean =>
      order.every((name, index) => key[start + index] === name)
    return has(sorted) || has(sorted.map(opposite))
  })
}

function opposite(key: string): string {
  return key.endsWith(':desc') ? nameIn(key) : `${key}:desc`
}

/** What is behind the `id` orders nothing, and every declared index ends in it. */
function beforeId(sorted: readonly string[]): readonly string[] {
  const end = sorted.findIndex((key) => nameIn(key) === 'id')
  return end === -1 ? sorted : sorted.slice(0, end)
}

/** What is declared builds the index on every database, at the next start. */
export function remedyFor({ uid, attributes }: ContentTypePlan, order: readonly string[]): string {
  const [first = '', ...others] = order
  const attribute = nameIn(first)
  const isOwn = others.length === 0 && attributes.get(attribute)?.kind === 'scalar'
  return isOwn
    ? `${uid}: "index": true on the attribute ${attribute}`
    : `${uid}: "indexes": [${JSON.stringify(order)}] in its options`
}

/** The attribute that a key of an order names. */
function nameIn(key: string): string {
  return key.replace(/:desc$/, '')
}
