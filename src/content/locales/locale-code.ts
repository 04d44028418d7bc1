import { fault, validationError } from '../../base/errors.ts'

/** The longest tag that RFC 5646, section 4.4.1, asks everyone to take. */
const MAX_CODE_LENGTH = 35

/**
 * Refuses a code that is not a BCP 47 tag of a known language in canonical form: two spellings of one
 * locale would be two locales.
 * @throws ValidationError that names the canonical form
 */
export function assertLocaleCode(code: string): void {
  const canonical = localeTag(code)
  if (canonical === null) {
    throw validationError([
      fault(['code'], `code must be a known BCP 47 language tag, such as en or pt-BR`, code, {
        code: 'locale.code',
      }),
    ])
  }
  if (canonical !== code)
    throw validationError([
      fault(['code'], `code must be written ${canonical}`, code, {
        code: 'locale.spelling',
        params: { canonical },
      }),
    ])
}

/** The canonical form of a code; null for one that is no tag of a known language. */
export function localeTag(code: string): string | null {
  const canonical = code.length > MAX_CODE_LENGTH ? null : canonicalTag(code)
  return canonical !== null && isKnown(canonical) ? canonical : null
}

/** The English name with the code, as the reference writes it: `French (Canada) (fr-CA)`. */
export function localeName(code: string): string {
  const names = new Intl.DisplayNames(['en'], { type: 'language', languageDisplay: 'standard' })
  return `${names.of(code) ?? code} (${code})`
}

function canonicalTag(code: string): string | null {
  try {
    return Intl.getCanonicalLocales(code)[0] ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function isKnown(tag: string): boolean {
  const { language, script, region } = new Intl.Locale(tag)
  const has = (type: 'language' | 'script' | 'region', code: string | undefined): boolean =>
    code === undefined ||
    new Intl.DisplayNames(['en'], { type, fallback: 'none' }).of(code) !== undefined
  if (tag.startsWith('und')) return false // known to Intl, as "unknown language"
  return has('language', language) && has('script', script) && has('region', region)
}
