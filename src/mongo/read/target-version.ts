import type { Reader, VersionKey, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

/**
 * Which version of a relation's target an entry shows: that of the entry's own locale, or of the
 * reader's where the entry has none; the draft where drafts are read, and may be. With fallbacks the
 * first locale of the chain stands for all of it, see `shownVersions`.
 */
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

/** The versions among which a reader finds the one to see: that of a key, or with fallbacks the first. */
export function shownVersions(
  plan: ContentTypePlan,
  { locale, status }: VersionKey,
  { chain }: Reader,
): VersionSelection {
  return plan.localized && chain !== undefined
    ? { locales: chain, status, firstOnly: true }
    : { locales: [locale], status }
}
