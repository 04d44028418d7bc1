import { type Attributes, type RelationAttribute, isToMany } from '../../api/attributes.ts'
import type { Declaration } from '../../api/content-types.ts'
import { type ListQuery, NEWEST_FIRST } from '../../api/entries.ts'
import type { QueryValue } from '../../api/request.ts'
import { byRelevance } from '../../api/text-search.ts'
import { type Column, LOCALES_COLUMN, pictureOf } from './columns.ts'
import { toFilters, wordsOf } from './filter-groups.ts'
import { authorMemberOf, OWN_ATTRIBUTES, filteredStages, filteredState } from './filter-words.ts'
import type { ListSearch } from './list-search.ts'

export const PAGE_SIZE = 50

/** Limits the names that are loaded for a to-many relation. */
const MAX_RELATED_TITLES = 3

export interface ListQueryInput {
  readonly declaration: Declaration
  readonly columns: readonly Column[]
  readonly search: ListSearch
  readonly locale: string | null
  readonly titles: Readonly<Record<string, string | null>>
  /** The id of the user. */
  readonly me: string
}

/** The query of one page, with the visible columns only. */
export function toListQuery(input: ListQueryInput): ListQuery {
  const { declaration, columns, search } = input
  const scalars = columns.filter(({ attribute }) => attribute !== undefined && isScalar(attribute))
  const { titleField } = declaration
  const names = [titleField, ...scalars.map(({ name }) => name)].filter(
    (name) => name !== null && name !== 'documentId',
  )
  return {
    ...selectionOf(input),
    fields: names.length === 0 ? ['documentId'] : names,
    populate: columnPopulate(input),
    ...(columns.some(({ name }) => authorMemberOf(name) !== undefined) && { authors: true }),
    ...(!isByRelevance(input) && { sort: search.sort ?? NEWEST_FIRST }),
    pagination: { cursor: search.after ?? '', pageSize: PAGE_SIZE },
  }
}

export function selectionOf({
  declaration,
  search,
  locale,
  me,
}: Pick<ListQueryInput, 'declaration' | 'search' | 'locale' | 'me'>): ListQuery {
  const { filters = [], match, q } = search
  const words = wordsOf(filters)
  const attributes: Attributes = { ...declaration.attributes, ...OWN_ATTRIBUTES }
  return {
    ...(locale !== null && { locale }),
    ...(q !== undefined && (isByRelevance({ declaration, search }) ? byRelevance(q) : { _q: q })),
    filters: toFilters(filters, { attributes, me, match }),
    state: filteredState(words),
    stage: filteredStages(words, declaration.stages),
  }
}

/** A column that the user has chosen for the order needs the other search. */
export function isByRelevance({
  declaration: { searched },
  search: { q, sort, within },
}: Pick<ListQueryInput, 'search'> & {
  readonly declaration: Pick<Declaration, 'searched'>
}): boolean {
  return searched && q !== undefined && sort === undefined && within === undefined
}

function isScalar({ type }: { readonly type: string }): boolean {
  return type !== 'relation' && type !== 'media'
}

function columnPopulate({ declaration, columns, titles }: ListQueryInput): QueryValue {
  const picture = pictureOf(declaration)
  const shown = columns.flatMap(({ name, attribute }): (readonly [string, QueryValue])[] => {
    if (name === LOCALES_COLUMN) return [['localizations', { fields: ['locale'] }]]
    if (attribute?.type === 'media') return [[name, FILE]]
    return attribute?.type === 'relation' ? [[name, relatedOf(attribute, titles)]] : []
  })
  return { ...Object.fromEntries(shown), ...(picture !== null && { [picture]: FILE }) }
}

function relatedOf(attribute: RelationAttribute, titles: ListQueryInput['titles']): QueryValue {
  return {
    fields: [titles[attribute.target] ?? 'documentId'],
    ...(isToMany(attribute) && { pagination: { limit: MAX_RELATED_TITLES } }),
  }
}

const FILE: QueryValue = { fields: ['name', 'url', 'mime', 'formats', 'alternativeText'] }
