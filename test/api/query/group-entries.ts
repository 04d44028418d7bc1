import type { Json } from '../../support/server.ts'

const MEASURES = ['avg', 'min', 'max', 'sum'] as const

export interface DeclaredAggregate {
  readonly groupBy: readonly string[]
  readonly avg?: readonly string[]
  readonly min?: readonly string[]
  readonly max?: readonly string[]
  readonly sum?: readonly string[]
}

export function nameOfKey(key: string): string {
  return key.split(':')[0] ?? key
}

type Key = string | boolean | null

interface Group {
  readonly keys: readonly Key[]
  readonly entries: Json[]
}

/** Groups the entries of a list in memory. */
export function groupEntries(
  entries: readonly Json[],
  { groupBy, ...measures }: DeclaredAggregate,
): readonly Json[] {
  const groups = new Map<string, Group>()
  for (const entry of entries) {
    for (const keys of product(groupBy.map((key) => valuesOf(entry, key)))) {
      const name = JSON.stringify(keys)
      const known = groups.get(name) ?? { keys, entries: [] }
      groups.set(name, known)
      known.entries.push(entry)
    }
  }
  return [...groups.values()].sort(byKeys).map((one) => ({
    group: Object.fromEntries(groupBy.map((key, index) => [nameOfKey(key), one.keys[index]])),
    count: one.entries.length,
    ...Object.fromEntries(
      MEASURES.map((of) => [
        of,
        Object.fromEntries((measures[of] ?? []).map((name) => [name, measure(of, name, one)])),
      ]),
    ),
  }))
}

function product(lists: readonly (readonly Key[])[]): readonly (readonly Key[])[] {
  return lists.reduce<readonly (readonly Key[])[]>(
    (all, list) => all.flatMap((keys) => list.map((value) => [...keys, value])),
    [[]],
  )
}

function valuesOf(entry: Json, key: string): readonly Key[] {
  const [name = '', unit] = key.split(':')
  const value = entry[name] ?? null
  if (unit !== undefined) return [cutDate(value, unit)]
  if (Array.isArray(value)) {
    return value.length === 0 ? [null] : value.map(({ documentId }: Json) => documentId)
  }
  return [value?.documentId ?? value]
}

function cutDate(value: string | null, unit: string): string | null {
  if (value === null) return null
  const [day = ''] = value.split('T')
  return unit === 'day' ? day : day.slice(0, -3)
}

function byKeys(one: Group, other: Group): number {
  for (const [index, key] of one.keys.entries()) {
    const order = compare(key, other.keys[index] ?? null)
    if (order !== 0) return order
  }
  return 0
}

const DATE = /^([+-]?\d{4,6})-(\d\d)(?:-(\d\d))?$/

function compare(one: Key, other: Key): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? -1 : 1
  const [left, right] = [DATE.exec(String(one)), DATE.exec(String(other))]
  if (left === null || right === null) return String(one) < String(other) ? -1 : 1
  const days = [left, right].map(([, year, month, day]) => {
    return (Number(year) * 12 + Number(month)) * 31 + Number(day ?? 1)
  })
  return (days[0] ?? 0) - (days[1] ?? 0)
}

function measure(of: (typeof MEASURES)[number], name: string, { entries }: Group): unknown {
  const values = entries.map((entry) => entry[name]).filter((value) => value !== null)
  if (of === 'min' || of === 'max') {
    const sorted = [...values].sort((one, other) =>
      order(name, one) < order(name, other) ? -1 : 1,
    )
    return (of === 'min' ? sorted[0] : sorted.at(-1)) ?? null
  }
  const sum = values.reduce((total, value) => total + scaled(name, value), 0n)
  const scale = name === 'price' || name === 'weight' ? 100 : 1
  if (of === 'avg') return values.length === 0 ? null : Number(sum) / (values.length * scale)
  return name === 'big' ? String(sum) : Number(sum) / scale
}

function order(name: string, value: Json): number | bigint {
  if (name === 'big') return BigInt(value)
  if (name === 'at' || name === 'on') return Date.parse(value)
  return name === 'clock' ? Number(value.replaceAll(':', '')) : value
}

/** In hundredths. */
function scaled(name: string, value: Json): bigint {
  if (name === 'big') return BigInt(value)
  return BigInt(name === 'size' ? value : Math.round(value * 100))
}
