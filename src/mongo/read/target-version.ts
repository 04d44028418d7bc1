import type { Reader, VersionKey, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { Document } from 'mongodb'

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

function localeSeen({ locale }: VersionKey, reader: Reader): string {
  const [first] = reader.chain ?? []
  return first ?? (locale === NO_LOCALE ? reader.locale : locale)
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

/** Keeps the first available locale. Runs a lookup per version, so place it after all conditions and the sort. */
export function fallbackStages(
  plan: ContentTypePlan,
  { locales, status, firstOnly }: VersionSelection,
): readonly Document[] {
  if (firstOnly !== true || locales.length < 2) return []
  const as = 'quire_earlier'
  const rankOf = (locale: string): Document => ({ $indexOfArray: [[...locales], locale] })
  const lookup = {
    from: plan.collectionName,
    localField: 'documentId',
    foreignField: 'documentId',
    let: { locale: '$locale' },
    pipeline: [
      {
        $match: {
          status,
          locale: { $in: locales.slice(0, -1) },
          $expr: { $lt: [rankOf('$locale'), rankOf('$$locale')] },
        },
      },
      { $limit: 1 },
      { $project: { _id: 1 } },
    ],
    as,
  }
  return [{ $lookup: lookup }, { $match: { [as]: { $eq: [] } } }]
}
