import type { Document } from 'mongodb'
import type { VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

/**
 * Stages that leave, of the versions of a selection, those that no earlier locale of it takes precedence
 * over; none where a document has one version in it anyway. They ask of each version that comes to them,
 * so they belong behind all conditions and the order, and before a page is cut.
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
