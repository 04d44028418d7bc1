import type { Reader, VersionKey, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

/**
 * If the reader has fallback locales, the returned locale is the first one and represents the whole
 * chain (`shownVersions`).
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

export function shownVersions(
  plan: ContentTypePlan,
  { locale, status }: VersionKey,
  { chain }: Reader,
): VersionSelection {
  return plan.localized && chain !== undefined
    ? { locales: chain, status, firstOnly: true }
    : { locales: [locale], status }
}
