import { isRecord } from '../../base/is-record.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { FieldSelection, LocaleRules, Reader, VersionKey } from '../../query/query.ts'
import { type Data, FILE_TRANSLATIONS, FILE_UID } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Row } from './row.ts'

type LocalizeFile = (version: StoredVersion, shownBy: VersionKey) => StoredVersion

/** Files with the texts in the locale of the entry that shows them. Entries of different locales can share a file. */
export function localizedFiles({ uid }: ContentTypePlan, reader: Reader): LocalizeFile {
  if (uid !== FILE_UID) return (version) => version
  const known = new Map<StoredVersion, Map<string, StoredVersion>>()
  return (version, { locale }) => {
    const translations = version[FILE_TRANSLATIONS] ?? null
    if (translations === null) return version
    const variants = known.get(version) ?? new Map<string, StoredVersion>()
    known.set(version, variants)
    const made = variants.get(locale)
    if (made !== undefined) return made
    const texts = textsIn(translations, localesOf(locale, reader))
    const variant = texts === undefined ? version : { ...version, ...texts }
    variants.set(locale, variant)
    return variant
  }
}

/** An entry without locales shows the texts of the request. */
function localesOf(locale: string, { chain, locale: asked, locales }: Reader): readonly string[] {
  const codes = locale === NO_LOCALE ? (chain ?? [asked]) : [locale]
  return codes.filter((code) => locales.has(code))
}

/** Files that are shown by themselves have their own texts and all translations. */
export function addTranslations(
  { uid }: Pick<ContentTypePlan, 'uid'>,
  rows: readonly Pick<Row, 'values' | 'shown'>[],
  { fields, reader }: { readonly fields: FieldSelection; readonly reader: Reader },
): void {
  if (uid !== FILE_UID || fields !== 'all') return
  for (const { values, shown } of rows) {
    const translations = installedTranslations(values[FILE_TRANSLATIONS], reader.locales)
    if (translations !== null) shown[FILE_TRANSLATIONS] = translations
  }
}

/** The texts that the locales have, the earlier ones first. Undefined if they have none. */
export function textsIn(translations: unknown, locales: readonly string[]): Data | undefined {
  if (!isRecord(translations)) return undefined
  const records = locales.flatMap((code) => {
    const texts = Object.hasOwn(translations, code) ? translations[code] : undefined
    return isRecord(texts) ? [texts] : []
  })
  if (records.length === 0) return undefined
  return Object.fromEntries(records.toReversed().flatMap((texts) => Object.entries(texts)))
}

/** The translations into the locales of the installation. Null if there are none. */
export function installedTranslations(
  translations: unknown,
  locales: Pick<LocaleRules, 'has'>,
): Data | null {
  if (!isRecord(translations)) return null
  const installed = Object.entries(translations).filter(([code]) => locales.has(code))
  return installed.length === 0 ? null : Object.fromEntries(installed)
}
