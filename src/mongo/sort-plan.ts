import type { Document } from 'mongodb'
import type { Reader, SortKey, VersionSelection } from '../query/query.ts'
import type { ScalarPlan } from '../schema/plan.ts'
import { targetVersion } from './target-version.ts'

/** An order, and what must be looked up before versions can be put into it. */
export interface SortPlan {
  readonly lookups: readonly Document[]
  readonly sort: Record<string, 1 | -1>
}

/** Of an entry whose locale the query leaves open: it is taken from the entry. */
const OWN_LOCALE = Symbol('own locale')

interface Place {
  readonly locale: string | null | typeof OWN_LOCALE
  readonly status: VersionSelection['status']
}

/**
 * An order by an entry's own attributes needs nothing; one through a relation looks its targets up. Of
 * several targets (or elements of a component) the lowest value counts ascending and the highest
 * descending, as MongoDB orders by lists, so that no entry comes twice.
 */
export function buildSort(
  sort: readonly SortKey[],
  { locales, status }: VersionSelection,
  reader: Reader,
): SortPlan {
  const [only] = locales
  const isOne = locales.length === 1 && only !== undefined
  const place: Place = { locale: isOne ? only : OWN_LOCALE, status }
  const lookups: Document[] = []
  const keys = sort.map((key, index): [string, 1 | -1] => {
    const reached = reach(key.through, key.attribute, { place, reader, as: `quire_sort_${index}` })
    lookups.push(...reached.lookups)
    return [reached.path, key.direction === 'asc' ? 1 : -1]
  })
  return { lookups, sort: Object.fromEntries(keys) }
}

interface Reached {
  readonly lookups: readonly Document[]
  /** Where the value is, once these have been looked up. */
  readonly path: string
}

function reach(
  [step, ...rest]: SortKey['through'],
  attribute: ScalarPlan,
  from: { readonly place: Place; readonly reader: Reader; readonly as: string },
  prefix = '',
): Reached {
  if (step === undefined) return { lookups: [], path: `${prefix}${attribute.name}` }
  if (step.kind === 'component') return reach(rest, attribute, from, `${prefix}${step.name}.`)
  const { place, reader, as } = from
  const target = step.target()
  const opens = place.locale === OWN_LOCALE && target.localized
  const key = targetVersion(
    target,
    { locale: place.locale === OWN_LOCALE ? null : place.locale, status: place.status },
    reader,
  )
  const inner = reach(rest, attribute, {
    place: { locale: opens ? OWN_LOCALE : key.locale, status: key.status },
    reader,
    as: `${as}_`,
  })
  const [shown = attribute.name] = inner.path.split('.')
  const match = opens
    ? { status: key.status, $expr: { $eq: ['$locale', '$$locale'] } }
    : { status: key.status, locale: key.locale }
  const isOwner = step.side === 'owner'
  const lookup = {
    from: target.collectionName,
    localField: isOwner ? `${prefix}${step.name}` : 'documentId',
    foreignField: isOwner ? 'documentId' : step.otherSide,
    ...(opens && { let: { locale: '$locale' } }),
    pipeline: [{ $match: match }, ...inner.lookups, { $project: { _id: 0, [shown]: 1 } }],
    as,
  }
  return { lookups: [{ $lookup: lookup }], path: `${as}.${inner.path}` }
}
