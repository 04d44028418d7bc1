import { assertMayIn } from '../../../people/access/permissions.ts'
import type { LocaleRules } from '../../../query/query.ts'
import type { Data } from '../../../schema/definition.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'
import type { Context } from '../../router/state.ts'

/** No other locale is visible, not even through `populate` or filters. @throws ForbiddenError */
export function boundLocales(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  query: Data,
  actions: readonly string[],
  locales: LocaleRules,
): LocaleRules {
  const asked = requestedLocales(query, locales)
  for (const action of actions) assertMayIn(principal, action, plan.localized ? asked : [])
  if (principal.kind !== 'administrator' || !principal.isBound) return locales
  const codes = new Set(asked)
  return {
    defaultCode: locales.defaultCode,
    all: locales.all.filter(({ code }) => codes.has(code)),
    has: (code) => codes.has(code) && locales.has(code),
  }
}

/** All locales that the query may read or write. A fallback may lead to any locale. */
function requestedLocales(
  { locale = '', fallbackLocale }: Data,
  locales: LocaleRules,
): readonly string[] {
  const every = locales.all.map(({ code }) => code)
  if (fallbackLocale !== undefined || locale === '*') return every
  if (locale === '') return [locales.defaultCode]
  const named: readonly unknown[] = Array.isArray(locale) ? locale : [locale]
  return named.flatMap((one) => (typeof one === 'string' ? one.split(',') : every))
}
