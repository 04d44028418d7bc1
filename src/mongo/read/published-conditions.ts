import type { Document } from 'mongodb'
import type { EntryState, Query } from '../../query/query.ts'
import { storedContent } from '../versions/stored-content.ts'
import { type Conditions, NO_CONDITIONS } from './conditions.ts'
import { matchAll } from './translate-filter.ts'

const AS = 'quire_published'

/**
 * What a query asks of the published versions of the entries that it lists: another document of the same collection, found
 * by its documentId. Each row costs a look-up, so these conditions belong behind all others and the order.
 */
export function publishedConditions({
  plan,
  hasPublishedVersion,
  state,
}: Pick<Query, 'plan' | 'hasPublishedVersion' | 'state'>): Conditions {
  if (hasPublishedVersion === null && state === null) return NO_CONDITIONS
  const content = state === null || state.is === 'draft' ? null : storedContent(state.unset)
  const lookup = {
    from: plan.collectionName,
    localField: 'documentId',
    foreignField: 'documentId',
    let: { locale: '$locale' },
    pipeline: [
      { $match: { status: 'published', $expr: { $eq: ['$locale', '$$locale'] } } },
      { $project: content === null ? { _id: 1 } : { content } },
    ],
    as: AS,
  }
  return {
    lookups: [{ $lookup: lookup }],
    match: matchAll([
      hasPublishedVersion === null ? {} : matchPublished(hasPublishedVersion),
      state === null ? {} : matchPublished(state.is !== 'draft'),
      state === null || content === null ? {} : matchContent(state.is, content),
    ]),
  }
}

function matchPublished(isThere: boolean): Document {
  return { [AS]: isThere ? { $ne: [] } : { $eq: [] } }
}

function matchContent(state: EntryState, content: Document): Document {
  const published = { $arrayElemAt: [`$${AS}.content`, 0] }
  return { $expr: { [state === 'changed' ? '$ne' : '$eq']: [content, published] } }
}
