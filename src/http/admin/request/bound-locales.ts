import { assertMayIn } from '../../../access/permissions.ts'
import type { LocaleRules } from '../../../query/query.ts'
import type { Data } from '../../../schema/definition.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'
import type { Context } from '../../state.ts'

/**
 * The locales that a request of an administrator is about. Each of `actions` must be permitted in all of them; who is
 * bound to some locales is shown nothing in any other, whatever the request populates or filters by.
 * @throws ForbiddenError
 */
export function boundLocales(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  query: Data,
  actions: readonly string[],
  locales: LocaleRules,
): LocaleRules {
  const asked = askedLocales(query, locales)
  for (const action of actions) assertMayIn(principal, action, plan.localized ? asked : [])
  if (principal.kind !== 'administrator' || !principal.isBound) return locales
  const codes = new Set(asked)
  return {
    defaultCode: locales.defaultCode,
    all: locales.all.filter(({ code }) => codes.has(code)),
    has: (code) => codes.has(code) && locales.has(code),
  }
}

/** Every locale that the query may have something read or written in; with fallbacks that may be any. */
function askedLocales(
  { locale = '', fallbackLocale }: Data,
  locales: LocaleRules,
): readonly string[] {
  const every = locales.all.map(({ code }) => code)
  if (fallbackLocale !== undefined || locale === '*') return every
  if (locale === '') return [locales.defaultCode]
  const named: readonly unknown[] = Array.isArray(locale) ? locale : [locale]
  return named.flatMap((one) => (typeof one === 'string' ? one.split(',') : every))
}
