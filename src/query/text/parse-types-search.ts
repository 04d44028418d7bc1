import type { Data } from '../../schema/definition.ts'
import { invalidValue } from '../query-error.ts'
import { checkText } from './parse-text-search.ts'

/** A search in several content-types. */
export interface TypesSearch {
  readonly text: string
  /** Null searches all types that the caller may read. */
  readonly names: readonly string[] | null
  /** Of the localized types. Undefined selects the default locale. */
  readonly locale: unknown
  /** Entries per type. */
  readonly limit: number
}

export const TYPES_SEARCH_LIMITS = { types: 50, entries: 25, usualEntries: 5 } as const

const PARAMETERS: ReadonlySet<string> = new Set(['q', 'types', 'locale', 'limit'])

/** @throws ValidationError */
export function parseTypesSearch(query: Data): TypesSearch {
  const stray = Object.keys(query).find((name) => !PARAMETERS.has(name))
  if (stray !== undefined) throw invalidValue(stray.slice(0, 64), 'no such parameter')
  const { q, types, locale, limit } = query
  const text = checkText(q, 'q')
  if (text.trim() === '') throw invalidValue('q', 'expected a text')
  return { text, names: namesOf(types), locale, limit: limitOf(limit) }
}

function namesOf(types: unknown): readonly string[] | null {
  if (types === undefined) return null
  const names = typeof types === 'string' ? types.split(',').map((name) => name.trim()) : []
  if (names.length === 0 || names.length > TYPES_SEARCH_LIMITS.types) {
    throw invalidValue('types', 'expected names of content-types, such as article,country')
  }
  return [...new Set(names)]
}

function limitOf(limit: unknown): number {
  if (limit === undefined) return TYPES_SEARCH_LIMITS.usualEntries
  const count = typeof limit === 'string' && /^\d{1,3}$/.test(limit) ? Number(limit) : 0
  if (count < 1 || count > TYPES_SEARCH_LIMITS.entries) {
    throw invalidValue('limit', `expected a number from 1 to ${TYPES_SEARCH_LIMITS.entries}`)
  }
  return count
}
