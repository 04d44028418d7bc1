import type { Reader, VersionKey } from '../query/query.ts'
import type { ContentTypePlan } from '../schema/plan.ts'

/**
 * Which version of a relation's target an entry shows: that of the entry's own locale, or of the
 * reader's where the entry has none; the draft where drafts are read, and may be.
 */
export function targetVersion(
  target: ContentTypePlan,
  from: VersionKey,
  reader: Reader,
): VersionKey {
  const readsDraft =
    target.draftAndPublish && reader.status === 'draft' && reader.mayReadDrafts(target.uid)
  return {
    locale: target.localized ? (from.locale ?? reader.locale) : null,
    status: readsDraft ? 'draft' : 'published',
  }
}
