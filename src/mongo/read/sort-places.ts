import { Decimal128 } from 'mongodb'
import type { Data } from '../../schema/definition.ts'
import { Decimal } from '../../schema/values/decimal.ts'
import type { SortPlan } from './sort-plan.ts'

type Order = Pick<SortPlan, 'sort'>

export function sortMembers({ sort }: Order): readonly string[] {
  return Object.keys(sort).map((path) => path.split('.')[0] ?? path)
}

/** Versions with equal keys share a position: their relative order differs between databases. */
export function sortPlaces<Row extends Data>(
  versions: readonly Row[],
  { sort }: Order,
): ReadonlyMap<Row, number> {
  const keys = Object.entries(sort).map(
    ([path, direction]) => [path.split('.'), direction] as const,
  )
  const keyOf = (version: Row): readonly unknown[] =>
    keys.map(([path, direction]) => valueIn(version, path, direction))
  const places = new Map<Row, number>()
  let before: readonly unknown[] | null = null
  let place = -1
  for (const version of versions) {
    const key = keyOf(version)
    const isEqual = before?.every((value, index) => compare(value, key[index]) === 0) ?? false
    if (!isEqual) place += 1
    places.set(version, place)
    before = key
  }
  return places
}

/** The lowest of several values counts in ascending order, the highest in descending order. */
function valueIn(version: Data, path: readonly string[], direction: 1 | -1): unknown {
  const [first = null, ...others] = valuesAt(version, path).map(comparable)
  return others.reduce<unknown>(
    (best, value) => (compare(value, best) * direction < 0 ? value : best),
    first,
  )
}

function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) {
    return (value as readonly unknown[]).flatMap((element) => valuesAt(element, path))
  }
  const [name, ...rest] = path
  if (name === undefined) return [value ?? null]
  if (typeof value !== 'object' || value === null) return [null]
  return valuesAt((value as Data)[name], rest)
}

/** Converts a stored value to a comparable one. JSON objects are compared for equality only. */
function comparable(value: unknown): unknown {
  if (value instanceof Date) return value.getTime()
  if (value instanceof Decimal128) return Decimal.parse(value.toString())
  if (typeof value !== 'object' || value === null) return value
  return `object ${JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? Number(inner) : inner))}`
}

function compare(one: unknown, other: unknown): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? -1 : 1
  if (one instanceof Decimal && other instanceof Decimal) return one.compareTo(other)
  if (typeof one === 'string' && typeof other === 'string') {
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  }
  return Number(one) < Number(other) ? -1 : 1
}
