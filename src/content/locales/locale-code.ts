import { localeTag } from '@quire/schema/locale-tag'
import { fault, validationError } from '../../base/errors.ts'

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

/** The English name with the code, as the reference writes it: `French (Canada) (fr-CA)`. */
export function localeName(code: string): string {
  const names = new Intl.DisplayNames(['en'], { type: 'language', languageDisplay: 'standard' })
  return `${names.of(code) ?? code} (${code})`
}
