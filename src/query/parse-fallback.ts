import type { Data } from '../schema/definition.ts'
import { invalidValue } from './query-error.ts'
import type { LocaleRules } from './query.ts'

/** The locales to search: the requested one, then its fallbacks (codes, or `*` for the default chain), or null. */
export function parseChain(query: Data, locales: LocaleRules): readonly string[] | null {
  const fallbacks = query['fallbackLocale'] ?? ''
  if (fallbacks === '') return null
  const { locale } = query
  const isNamed = typeof locale === 'string' && locale !== '' && locale !== '*'
  const asked = isNamed ? locale : locales.defaultCode
  const codes = fallbacks === '*' ? defaultChain(asked, locales) : codesOf(fallbacks, locales)
  return [...new Set([asked, ...codes])].filter((code) => locales.has(code))
}

/** Fallbacks of a localized content-type require a single locale. @throws ValidationError */
export function parseOneChain(query: Data, locales: LocaleRules): readonly string[] | null {
  const chain = parseChain(query, locales)
  const { locale = '' } = query
  if (chain !== null && (typeof locale !== 'string' || locale === '*')) {
    throw invalidValue('fallbackLocale', 'requires a single locale')
  }
  return chain
}

/** Parent tags of a code (RFC 4647, section 3.4), then the default locale. */
function defaultChain(code: string, { defaultCode }: LocaleRules): readonly string[] {
  const subtags = code.split('-')
  const parents = subtags.slice(1).map((_, index) => subtags.slice(0, -1 - index).join('-'))
  return [...parents, defaultCode]
}

function codesOf(input: unknown, locales: LocaleRules): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input]
  return texts.flatMap((text) => {
    if (typeof text !== 'string') throw invalidValue('fallbackLocale', 'expected codes, or *')
    const codes = text.split(',').map((code) => code.trim())
    const unknown = codes.find((code) => !locales.has(code))
    if (unknown === undefined) return codes
    const known = locales.all.map(({ code }) => code).join(', ')
    throw invalidValue('fallbackLocale', `${unknown} is not one of ${known}`)
  })
}
