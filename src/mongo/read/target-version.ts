import { groupBy } from '../../base/group-by.ts'
import type { Reader, VersionKey, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { Document } from 'mongodb'
import { type Conditions, matchStages, NO_CONDITIONS } from './translate-filter.ts'

/** With fallback locales, the returned locale is the first one of the chain (`shownVersions`). */
export function targetVersion(
  target: ContentTypePlan,
  from: VersionKey,
  reader: Reader,
): VersionKey {
  const readsDraft =
    target.draftAndPublish && reader.status === 'draft' && reader.mayReadDrafts(target.uid)
  return {
    locale: target.localized ? localeSeen(from, reader) : NO_LOCALE,
    status: readsDraft ? 'draft' : 'published',
  }
}

/** Groups by the version of the target that the reader sees from the version of each item. */
export function groupByTarget<Item>(
  target: ContentTypePlan,
  reader: Reader,
  items: readonly Item[],
  fromOf: (item: Item) => VersionKey,
): readonly (readonly [VersionKey, readonly Item[]])[] {
  const keys = new Map<string, VersionKey>()
  const groups = groupBy(items, (item) => {
    const key = targetVersion(target, fromOf(item), reader)
    const name = `${key.locale}:${key.status}`
    const known = keys.get(name) ?? key
    keys.set(name, known)
    return known
  })
  return [...groups]
}

function localeSeen({ locale }: VersionKey, reader: Reader): string {
  return reader.chain?.[0] ?? (locale === NO_LOCALE ? reader.locale : locale)
}

export function shownVersions(
  plan: ContentTypePlan,
  { locale, status }: VersionKey,
  { chain }: Reader,
): VersionSelection {
  return plan.localized && chain !== undefined
    ? { locales: chain, status, firstOnly: true }
    : { locales: [locale], status }
}

/** Keeps the first locale that the caller sees. Runs a lookup per version, so place it after all conditions and the sort. */
export function fallbackStages(
  plan: ContentTypePlan,
  { locales, status, firstOnly }: VersionSelection,
  { rule = NO_CONDITIONS }: Conditions = NO_CONDITIONS,
): readonly Document[] {
  if (firstOnly !== true || locales.length < 2) return []
  const as = 'quire_earlier'
  const rankOf = (locale: string): Document => ({ $indexOfArray: [[...locales], locale] })
  const earlier = {
    status,
    locale: { $in: locales.slice(0, -1) },
    $expr: { $lt: [rankOf('$locale'), rankOf('$$locale')] },
  }
  const lookup = {
    from: plan.collectionName,
    localField: 'documentId',
    foreignField: 'documentId',
    let: { locale: '$locale' },
    pipeline: [...matchStages(earlier, rule), { $limit: 1 }, { $project: { _id: 1 } }],
    as,
  }
  return [{ $lookup: lookup }, { $match: { [as]: { $eq: [] } } }]
}
