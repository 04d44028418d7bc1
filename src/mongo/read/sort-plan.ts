import { Decimal128, type Document } from 'mongodb'
import type { Reader, SortKey, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan, RelationPlan, ScalarPlan } from '../../schema/plan.ts'
import { fallbackStages, shownVersions, targetVersion } from './target-version.ts'
import { matchVersions } from '../versions/version-match.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { Data } from '../../schema/definition.ts'
import { Decimal } from '../../schema/values/decimal.ts'

export interface SortPlan {
  readonly lookups: readonly Document[]
  readonly sort: Record<string, 1 | -1>
}

export const UNORDERED: SortPlan = { lookups: [], sort: {} }

const OWN_LOCALE = Symbol('own locale')

interface TargetVersionKey {
  readonly locale: string | typeof OWN_LOCALE
  readonly status: VersionSelection['status']
}

/** Lookups keep the target with the lowest or highest value, because MongoDB cannot sort by two lists. */
export function buildSort(
  sort: readonly SortKey[],
  { locales, status }: VersionSelection,
  reader: Reader,
): SortPlan {
  const [only] = locales
  const isOne = locales.length === 1 && only !== undefined
  const place: TargetVersionKey = { locale: isOne ? only : OWN_LOCALE, status }
  const lookups: Document[] = []
  const keys = sort.map((key, index): [string, 1 | -1] => {
    const direction = key.direction === 'asc' ? 1 : -1
    const from = { place, reader, direction, as: `quire_sort_${index}` } as const
    const reached = reach(key.through, key.attribute, from)
    lookups.push(...reached.lookups)
    return [reached.path, direction]
  })
  return { lookups, sort: Object.fromEntries(keys) }
}

interface Reached {
  readonly lookups: readonly Document[]
  readonly path: string
}

function reach(
  [step, ...rest]: SortKey['through'],
  attribute: ScalarPlan,
  from: {
    readonly place: TargetVersionKey
    readonly reader: Reader
    readonly direction: 1 | -1
    readonly as: string
  },
  prefix = '',
): Reached {
  if (step === undefined) return { lookups: [], path: `${prefix}${attribute.storedName}` }
  if (step.kind === 'component') return reach(rest, attribute, from, `${prefix}${step.storedName}.`)
  const { place, reader, direction, as } = from
  const target = seenFrom(place, step.target(), reader)
  const inner = reach(rest, attribute, { ...from, place: target, as: `${as}_` })
  const [shown = attribute.storedName] = inner.path.split('.')
  const lookup = {
    from: step.target().collectionName,
    ...joint(step, prefix),
    ...matchSeen(step.target(), target, reader, [
      ...inner.lookups,
      { $sort: { [inner.path]: direction } },
      { $limit: 1 },
      { $project: { _id: 0, [shown]: 1 } },
    ]),
    as,
  }
  const unwind = { path: `$${as}`, preserveNullAndEmptyArrays: true }
  return { lookups: [{ $lookup: lookup }, { $unwind: unwind }], path: `${as}.${inner.path}` }
}

function seenFrom(
  place: TargetVersionKey,
  target: ContentTypePlan,
  reader: Reader,
): TargetVersionKey {
  const isOpen = place.locale === OWN_LOCALE
  const from = { locale: isOpen ? NO_LOCALE : place.locale, status: place.status }
  const key = targetVersion(target, from, reader)
  return isOpen && target.localized ? { locale: OWN_LOCALE, status: key.status } : key
}

function joint(relation: RelationPlan, prefix: string): Document {
  return relation.side === 'owner'
    ? { localField: `${prefix}${relation.storedName}`, foreignField: 'documentId' }
    : { localField: 'documentId', foreignField: relation.otherStored() }
}

function matchSeen(
  target: ContentTypePlan,
  place: TargetVersionKey,
  reader: Reader,
  then: readonly Document[],
): Document {
  const versions = shownVersions(target, { locale: NO_LOCALE, status: place.status }, reader)
  if (versions.firstOnly !== true) return matchPlace(place, then)
  const match = { $match: matchVersions(versions) }
  return { pipeline: [match, ...fallbackStages(target, versions), ...then] }
}

function matchPlace({ locale, status }: TargetVersionKey, then: readonly Document[]): Document {
  if (locale !== OWN_LOCALE) return { pipeline: [{ $match: { status, locale } }, ...then] }
  const match = { status, $expr: { $eq: ['$locale', '$$locale'] } }
  return { let: { locale: '$locale' }, pipeline: [{ $match: match }, ...then] }
}

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
