import { namesLocale } from './query-names.ts'
import { ValidationError } from '../base/errors.ts'
import type { Data } from '../schema/definition.ts'
import { NO_LOCALE } from '../schema/no-locale.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import { parseChain, parseOneChain } from './parse-fallback.ts'
import { parsePublicationFilter } from './parse-publication.ts'
import { linkedTypes } from './linked-types.ts'
import { invalidValue } from './query-error.ts'
import {
  type ActionLocales,
  type Filter,
  type LocaleRules,
  QUERY_LIMITS,
  type QueryRules,
  type Reader,
  type Status,
  type VersionKey,
  type VersionSelection,
} from './query.ts'

/** A filter on `locale` replaces the default locale. An unknown code selects no entries. @throws ValidationError */
export function parseVersions(
  query: Data,
  plan: ContentTypePlan,
  filter: Filter | null,
  locales: LocaleRules,
): VersionSelection {
  const status = parseStatusOf(query['status'], plan)
  if (!plan.localized) return { locales: [NO_LOCALE], status }
  const chain = parseOneChain(query, locales)
  if (chain !== null) return { locales: chain, status, firstOnly: true }
  const asked = query['locale']
  const every = codesOf(locales)
  if (asked === undefined || asked === '') {
    const isFiltered = filter !== null && namesLocale(filter)
    return { locales: isFiltered ? every : [locales.defaultCode], status }
  }
  if (asked === '*') return { locales: every, status }
  return { locales: readLocales(asked).filter((code) => locales.has(code)), status }
}

/** The version in which relations are resolved. @throws ValidationError */
export function parseReader(query: Data, rules: QueryRules): Reader {
  const { locales, addresses } = rules
  const asked = query['locale']
  const chain = parseChain(query, locales)
  const publicationFilter = parsePublicationFilter(query)
  return {
    format: rules.format,
    locale: typeof asked === 'string' && locales.has(asked) ? asked : locales.defaultCode,
    ...(chain !== null && { chain }),
    status: parseStatus(query['status']),
    ...(publicationFilter !== null && { publicationFilter }),
    locales,
    mayReadDrafts: (uid) => rules.mayReadDrafts(uid),
    linked: linkedTypes(rules, parseStatus(query['status'])),
    answer: rules.answer,
    ...(addresses !== undefined && { addresses }),
  }
}

/** The version to read, or the first candidate of several. Null if the locale is `*`, a list, or unknown. */
export function parseReadKey(
  query: Data,
  plan: ContentTypePlan,
  locales: LocaleRules,
): VersionKey | null {
  const status = parseStatusOf(query['status'], plan)
  if (!plan.localized) return { locale: NO_LOCALE, status }
  const [first] = parseOneChain(query, locales) ?? []
  if (first !== undefined) return { locale: first, status }
  const locale = query['locale'] ?? ''
  if (locale === '') return { locale: locales.defaultCode, status }
  return typeof locale === 'string' && locales.has(locale) ? { locale, status } : null
}

/** `dataLocale` is the locale in the payload. It applies if the query has none. @throws ValidationError */
export function parseWriteKey(
  query: Data,
  dataLocale: unknown,
  plan: ContentTypePlan,
  locales: LocaleRules,
): VersionKey {
  const status = parseStatusOf(query['status'], plan)
  if (!plan.localized) return { locale: NO_LOCALE, status }
  const asked = [query['locale'], dataLocale].find((code) => !isAbsent(code)) ?? locales.defaultCode
  if (typeof asked !== 'string' || asked === '*') {
    const given = typeof asked === 'string' ? asked : JSON.stringify(asked)
    throw new ValidationError(
      `Invalid locale param ${given} provided. Document locales must be strings.`,
      {},
      { code: 'invalid_query' },
    )
  }
  if (!locales.has(asked)) throw unknownLocale(asked, locales)
  return { locale: asked, status }
}

/** Empty for an unknown code. @throws ValidationError for `status=draft`: a deletion covers both versions */
export function parseDeletedLocales(
  query: Data,
  plan: ContentTypePlan,
  locales: LocaleRules,
): readonly string[] | 'all' {
  if (parseStatusOf(query['status'], plan) === 'draft') {
    throw new ValidationError(
      'status: deleting a document deletes its draft and its published version',
      {},
      { code: 'invalid_query' },
    )
  }
  const asked = query['locale'] ?? ''
  if (!plan.localized || asked === '*') return 'all'
  if (asked === '') return [locales.defaultCode]
  return readLocales(asked)
}

/** Accepts a code, a list of codes (`en,fr`, or a repeated parameter) or `*`. @throws ValidationError */
export function parseActionLocales(
  query: Data,
  plan: ContentTypePlan,
  locales: LocaleRules,
): ActionLocales {
  if (!plan.localized) return { kind: 'one', locales: [NO_LOCALE] }
  const asked = query['locale'] ?? ''
  if (asked === '') return { kind: 'one', locales: [locales.defaultCode] }
  if (asked === '*') return { kind: 'every', locales: codesOf(locales) }
  const named = readLocales(typeof asked === 'string' ? asked.split(',') : asked)
  const unknown = named.find((code) => !locales.has(code))
  if (unknown !== undefined) throw unknownLocale(unknown, locales)
  const isOne = typeof asked === 'string' && named.length === 1
  return { kind: isOne ? 'one' : 'several', locales: [...new Set(named)] }
}

export function assertActionStatus(query: Data, answered: Status): void {
  const { status = answered } = query
  if (status !== answered)
    throw new ValidationError(
      `status: this answers the ${answered} version`,
      {},
      { code: 'invalid_query' },
    )
}

function unknownLocale(code: string, locales: LocaleRules): ValidationError {
  return new ValidationError(
    `locale: ${code} is not one of ${codesOf(locales).join(', ')}`,
    {},
    { code: 'unknown_locale' },
  )
}

function codesOf({ all }: LocaleRules): readonly string[] {
  return all.map(({ code }) => code)
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** Types without draft & publish store published versions only and ignore the parameter. */
function parseStatusOf(input: unknown, plan: ContentTypePlan): Status {
  const status = parseStatus(input)
  return plan.draftAndPublish ? status : 'published'
}

/** @throws ValidationError */
export function parseStatus(input: unknown): Status {
  if (input === undefined || input === 'published') return 'published'
  if (input === 'draft') return 'draft'
  throw new ValidationError('status: expected draft or published', {}, { code: 'invalid_query' })
}

function readLocales(input: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(input) ? input : [input]
  if (list.length > QUERY_LIMITS.listItems) {
    throw invalidValue('locale', `at most ${QUERY_LIMITS.listItems} values`)
  }
  return list.map((code) => {
    if (typeof code !== 'string') throw invalidValue('locale', 'expected a code or a list of codes')
    return code
  })
}
