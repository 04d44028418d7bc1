import type { Document } from 'mongodb'
import type { Reader, SortKey, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan, RelationPlan, ScalarPlan } from '../../schema/plan.ts'
import { fallbackStages } from './fallback-stages.ts'
import { shownVersions, targetVersion } from './target-version.ts'
import { matchVersions } from '../versions/version-match.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

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

/**
 * Keys through a relation need a lookup, which keeps the target with the lowest or highest value.
 * Entries are therefore not duplicated, and MongoDB never sorts by two lists, which it rejects
 * ("cannot sort with keys that are parallel arrays").
 */
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
  if (step === undefined) return { lookups: [], path: `${prefix}${attribute.name}` }
  if (step.kind === 'component') return reach(rest, attribute, from, `${prefix}${step.name}.`)
  const { place, reader, direction, as } = from
  const target = seenFrom(place, step.target(), reader)
  const inner = reach(rest, attribute, { ...from, place: target, as: `${as}_` })
  const [shown = attribute.name] = inner.path.split('.')
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
    ? { localField: `${prefix}${relation.name}`, foreignField: 'documentId' }
    : { localField: 'documentId', foreignField: relation.otherSide }
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
