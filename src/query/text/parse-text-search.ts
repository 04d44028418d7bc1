import { createHash } from 'node:crypto'
import { isRecord } from '../../base/is-record.ts'
import { valueName } from '../../schema/alias.ts'
import { toStoredName } from '../../schema/compile-attributes.ts'
import type { AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import type { Data } from '../../schema/definition.ts'
import type { PopulateRules } from '../populate/parse-populate.ts'
import { invalidValue } from '../query-error.ts'
import {
  type Filter,
  QUERY_LIMITS,
  type SortKey,
  type TextSearch,
  type VersionSelection,
} from '../query.ts'
import { parseFacets } from './parse-facets.ts'

const MEMBERS = ['query', 'match', 'fields', 'highlights', 'facets']

/** The words of the text that a result must have. */
export const MATCHES = ['any', 'all'] as const

export interface SearchRights extends Pick<TextSearch, 'corrects'> {
  readonly rules: PopulateRules
}

export function showsAllPublished(
  condition: Filter | null,
  { status }: Pick<VersionSelection, 'status'>,
): boolean {
  return condition === null && status === 'published'
}

/** `search=berg` is short for `search[query]=berg`. Null for an absent or empty text. @throws ValidationError */
export function parseTextSearch(
  query: Data,
  plan: ContentTypePlan,
  { rules, corrects }: SearchRights,
): TextSearch | null {
  const { search: given, sort } = query
  if (given === undefined || given === '') return null
  if (plan.search === null) {
    if (!plan.uid.startsWith('api::')) return null // built-in types ignore unknown parameters
    throw invalidValue('search', 'this content-type has no option search')
  }
  const { query: text, match, fields, highlights, facets } = membersOf(given)
  const matchesAll = parseMatch(match)
  if (sort !== undefined && sort !== '') {
    throw invalidValue('search', 'the results are in the order of relevance; leave out sort')
  }
  const shown = shownAttributes(plan)
  const { weights: attributes } = chosen('fields', fields, plan, shown)
  const { members: marked } = chosen('highlights', highlights, plan, shown)
  const counted = parseFacets(facets, plan, rules)
  const checked = checkText(text, 'search[query]')
  if (checked === '') return null
  return {
    text: checked,
    matchesAll,
    attributes,
    highlights: marked,
    facets: counted,
    corrects,
    order: relevanceOf(plan, digestOf(query, { text: checked, matchesAll, attributes })),
  }
}

function membersOf(given: unknown): Data {
  if (typeof given === 'string') return { query: given }
  if (!isRecord(given)) throw invalidValue('search', 'expected a text or search[query]')
  const unknown = Object.keys(given).find((key) => !MEMBERS.includes(key))
  if (unknown !== undefined) {
    throw invalidValue(
      `search[${unknown.slice(0, 64)}]`,
      'expected query, match, fields, highlights or facets',
    )
  }
  return given
}

function parseMatch(match: unknown): boolean {
  if (match === undefined || match === 'any') return false
  if (match === 'all') return true
  throw invalidValue('search[match]', `expected ${MATCHES.join(' or ')}`)
}

export function checkText(text: unknown, path: string): string {
  if (text === undefined) return ''
  if (typeof text !== 'string') throw invalidValue(path, 'expected one text')
  if (text.length > QUERY_LIMITS.patternLength) {
    throw invalidValue(path, `at most ${QUERY_LIMITS.patternLength} characters`)
  }
  if (text.includes('\0')) throw invalidValue(path, 'a NUL character cannot be stored')
  return text
}

function shownAttributes({ search, attributes }: ContentTypePlan): ReadonlyMap<number, number> {
  const weights = [...(search?.weights ?? [])]
  return new Map(
    weights.flatMap(([name, weight], place): readonly [number, number][] =>
      attributes.get(name)?.private === false ? [[place, weight]] : [],
    ),
  )
}

interface Chosen {
  readonly weights: ReadonlyMap<number, number>
  /** Under the names that the request gives. */
  readonly members: readonly AttributePlan[]
}

/** Unknown, hidden and unsearched attributes have the same error. */
function chosen(
  part: string,
  fields: unknown,
  plan: ContentTypePlan,
  shown: ReadonlyMap<number, number>,
): Chosen {
  if (fields === undefined) return { weights: shown, members: [] }
  const names = typeof fields === 'string' ? fields.split(',').map((name) => name.trim()) : fields
  if (!Array.isArray(names) || names.length > QUERY_LIMITS.listItems) {
    throw invalidValue(`search[${part}]`, 'expected attributes, such as title,excerpt')
  }
  const weights = new Map<number, number>()
  const named = new Set<AttributePlan>()
  for (const name of names as readonly unknown[]) {
    const member = typeof name === 'string' ? plan.members.get(name) : undefined
    const place = placeOf(plan, member)
    const weight = shown.get(place)
    if (member === undefined || weight === undefined) {
      throw invalidValue(`search[${part}]`, `${String(name).slice(0, 64)} is not searched`)
    }
    weights.set(place, weight)
    named.add(member)
  }
  return { weights, members: [...named] }
}

function placeOf(
  { search, attributes }: ContentTypePlan,
  member: AttributePlan | undefined,
): number {
  const name = member === undefined ? '' : valueName(member)
  const places = [...(search?.weights.keys() ?? [])]
  return attributes.has(name) ? places.indexOf(name) : -1
}

/** Scores depend on the text and on the entries that can be found, so each search has cursors of its own. */
function digestOf(
  { filters, _q, locale, fallbackLocale, status, publicationFilter, hasPublishedVersion }: Data,
  { text, matchesAll, attributes }: Pick<TextSearch, 'text' | 'matchesAll' | 'attributes'>,
): string {
  const version = [locale, fallbackLocale, status, publicationFilter, hasPublishedVersion]
  const words = matchesAll ? [text, 'all'] : text
  const asked = JSON.stringify([words, [...attributes.keys()], filters, _q, version])
  return createHash('sha256').update(asked, 'utf8').digest('base64url').slice(0, DIGEST_LENGTH)
}

const DIGEST_LENGTH = 16

/** The order of results. Only cursors use it: the score is no attribute. */
function relevanceOf(plan: ContentTypePlan, digest: string): readonly SortKey[] {
  const [id, updatedAt] = ['id', 'updatedAt'].map((name) => plan.members.get(name))
  if (id?.kind !== 'scalar' || updatedAt?.kind !== 'scalar')
    throw new Error(`${plan.uid} has no id`)
  const score = {
    ...id,
    name: 'relevance',
    storedName: toStoredName(`relevance-${digest}`),
    type: 'float' as const,
  }
  return [
    { through: [], attribute: score, direction: 'desc' },
    { through: [], attribute: updatedAt, direction: 'desc' },
    { through: [], attribute: id, direction: 'asc' },
  ]
}
