import type { ContentTypePlan } from '../../schema/plan.ts'
import type { QueryShape } from '../../base/observed.ts'
import type { CollectionIndexes } from './inspect-indexes.ts'

const ALWAYS: ReadonlySet<string> = new Set(['_id', 'id', 'documentId', 'locale', 'status'])

const SELECTION: ReadonlySet<string> = new Set(['status', 'locale'])

function leadingAttributes(keys: CollectionIndexes['keys']): ReadonlySet<string> {
  return new Set(keys.flatMap((key) => key.find((name) => !SELECTION.has(name)) ?? []))
}

export interface IndexNeed {
  readonly attribute: string
  readonly use: 'filtered' | 'sorted'
  readonly order: readonly string[]
}

/** One indexed condition is enough for all filters. A sort needs an index with all of its keys. */
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

/** In the order or the reverse order, directly after `SELECTION`. */
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

/** Keys after `id` have no effect, and every declared index ends with `id`. */
function beforeId(sorted: readonly string[]): readonly string[] {
  const end = sorted.findIndex((key) => nameIn(key) === 'id')
  return end === -1 ? sorted : sorted.slice(0, end)
}

export function remedyFor({ uid, attributes }: ContentTypePlan, order: readonly string[]): string {
  const [first = '', ...others] = order
  const attribute = nameIn(first)
  const isOwn = others.length === 0 && attributes.get(attribute)?.kind === 'scalar'
  return isOwn
    ? `${uid}: "index": true on the attribute ${attribute}`
    : `${uid}: "indexes": [${JSON.stringify(order)}] in its options`
}

function nameIn(key: string): string {
  return key.replace(/:desc$/, '')
}
