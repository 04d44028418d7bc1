import type { Document } from 'mongodb'
import type { VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

/**
 * Stages that keep the version of the first available locale of each document. They run a lookup
 * per version, so they belong after all conditions and the sort, and before skip and limit.
 */
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
