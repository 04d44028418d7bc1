import { ValidationError } from '../errors.ts'
import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import { invalidValue } from './query-error.ts'
import {
  type Filter,
  type LocaleRules,
  QUERY_LIMITS,
  type QueryRules,
  type Reader,
  type Status,
  type VersionKey,
  type VersionSelection,
} from './query.ts'

/**
 * The versions that a list is made of. A filter on `locale` takes the place of the default locale; a
 * code that was not added selects nothing; types without locales ignore the parameter.
 * @throws ValidationError for an unknown status.
 */
export function parseVersions(
  query: Data,
  plan: ContentTypePlan,
  filter: Filter | null,
  locales: LocaleRules,
): VersionSelection {
  const status = parseStatus(query['status'], plan)
  if (!plan.localized) return { locales: [null], status }
  const asked = query['locale']
  const every = codesOf(locales)
  if (asked === undefined || asked === '') {
    return {
      locales: filter !== null && namesLocale(filter) ? every : [locales.defaultCode],
      status,
    }
  }
  if (asked === '*') return { locales: every, status }
  return { locales: listOf(asked).filter((code) => locales.has(code)), status }
}

/** @throws ValidationError for an unknown status. */
export function parseReader(
  query: Data,
  rules: Pick<QueryRules, 'locales' | 'mayReadDrafts' | 'format'>,
): Reader {
  const { locales } = rules
  const asked = query['locale']
  return {
    format: rules.format,
    locale: typeof asked === 'string' && locales.has(asked) ? asked : locales.defaultCode,
    status: statusOf(query['status']),
    locales,
    mayReadDrafts: (uid) => rules.mayReadDrafts(uid),
  }
}

/**
 * The one version that a request reads; null when it names none: `*`, a list, or an unknown locale.
 * @throws ValidationError for an unknown status.
 */
export function parseReadKey(
  query: Data,
  plan: ContentTypePlan,
  locales: LocaleRules,
): VersionKey | null {
  const status = parseStatus(query['status'], plan)
  if (!plan.localized) return { locale: null, status }
  const locale = query['locale'] ?? ''
  if (locale === '') return { locale: locales.defaultCode, status }
  return typeof locale === 'string' && locales.has(locale) ? { locale, status } : null
}

/**
 * The one version that a request writes. `dataLocale` is what the payload says, for want of the query.
 * @throws ValidationError for an unknown status or locale.
 */
export function parseWriteKey(
  query: Data,
  dataLocale: unknown,
  plan: ContentTypePlan,
  locales: LocaleRules,
): VersionKey {
  const status = parseStatus(query['status'], plan)
  if (!plan.localized) return { locale: null, status }
  const asked = [query['locale'], dataLocale].find((code) => !isAbsent(code)) ?? locales.defaultCode
  if (typeof asked !== 'string' || asked === '*') {
    const given = typeof asked === 'string' ? asked : JSON.stringify(asked)
    throw new ValidationError(
      `Invalid locale param ${given} provided. Document locales must be strings.`,
    )
  }
  if (!locales.has(asked)) {
    throw new ValidationError(`locale: ${asked} is none of ${codesOf(locales).join(', ')}`)
  }
  return { locale: asked, status }
}

/**
 * The locales that a DELETE removes, drafts and published versions alike; none for an unknown code.
 * @throws ValidationError for an unknown status, and for `status=draft`: deleting is not by status.
 */
export function parseDeletedLocales(
  query: Data,
  plan: ContentTypePlan,
  locales: LocaleRules,
): readonly (string | null)[] | 'all' {
  if (parseStatus(query['status'], plan) === 'draft') {
    throw new ValidationError('status: a document is deleted with its draft and published versions')
  }
  const asked = query['locale'] ?? ''
  if (!plan.localized || asked === '*') return 'all'
  if (asked === '') return [locales.defaultCode]
  return listOf(asked)
}

function codesOf({ all }: LocaleRules): readonly string[] {
  return all.map(({ code }) => code)
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** Types without draft & publish hold published versions only: there the parameter changes nothing. */
function parseStatus(input: unknown, plan: ContentTypePlan): Status {
  const status = statusOf(input)
  return plan.draftAndPublish ? status : 'published'
}

function statusOf(input: unknown): Status {
  if (input === undefined || input === 'published') return 'published'
  if (input === 'draft') return 'draft'
  throw new ValidationError('status: expected draft or published')
}

function listOf(input: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(input) ? input : [input]
  if (list.length > QUERY_LIMITS.listItems) {
    throw invalidValue('locale', `at most ${QUERY_LIMITS.listItems} values`)
  }
  return list.map((code) => {
    if (typeof code !== 'string') throw invalidValue('locale', 'expected a code or a list of codes')
    return code
  })
}

function namesLocale(filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.some(namesLocale)
    case 'not':
      return namesLocale(filter.of)
    case 'compare':
      return filter.attribute.system && filter.attribute.name === 'locale'
    case 'within':
    case 'related':
      return false
  }
}
