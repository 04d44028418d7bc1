import type { Data } from '../schema/definition.ts'
import { invalidValue } from './query-error.ts'
import type { LocaleRules } from './query.ts'

/**
 * The locales in which a document is looked for, in order: the one asked for, then those of
 * `fallbackLocale`, a list of codes or `*` for the default chain. Null where no fallbacks are asked for.
 * A locale asked for that was not added is passed over, as it holds nothing.
 * @throws ValidationError for a fallback that was not added.
 */
export function parseChain(query: Data, locales: LocaleRules): readonly string[] | null {
  const fallbacks = query['fallbackLocale'] ?? ''
  if (fallbacks === '') return null
  const { locale } = query
  const isNamed = typeof locale === 'string' && locale !== '' && locale !== '*'
  const asked = isNamed ? locale : locales.defaultCode
  const codes = fallbacks === '*' ? defaultChain(asked, locales) : codesOf(fallbacks, locales)
  return [...new Set([asked, ...codes])].filter((code) => locales.has(code))
}

/**
 * For a content-type with locales: fallbacks are those of one locale.
 * @throws ValidationError where they come with every locale, or a list of them.
 */
export function parseOneChain(query: Data, locales: LocaleRules): readonly string[] | null {
  const chain = parseChain(query, locales)
  const { locale = '' } = query
  if (chain !== null && (typeof locale !== 'string' || locale === '*')) {
    throw invalidValue('fallbackLocale', 'requires a single locale')
  }
  return chain
}

/** What a code is short for without its last subtags (RFC 4647, section 3.4), then the default locale. */
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
