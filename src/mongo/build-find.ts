import type { Document } from 'mongodb'
import type {
  FieldSelection,
  Filter,
  Page,
  Query,
  SortKey,
  VersionSelection,
} from '../query/query.ts'
import type { AttributeHolder } from '../schema/plan.ts'
import { toBson } from './stored-value.ts'
import { matchAll, translateFilter } from './translate-filter.ts'
import { matchVersions } from './version-match.ts'

/** One find, as the driver takes it. */
export interface FindPlan {
  readonly filter: Document
  readonly sort: Document
  readonly skip: number
  readonly limit: number
  readonly projection: Document
}

/**
 * The one query that a list needs. A page by cursor asks for one entry more than it shows: the last
 * one tells whether there is a next page.
 */
export function buildFind(query: Query): FindPlan {
  const { page, sort, plan, fields } = query
  const keyset = page.kind === 'cursor' && page.after !== null ? [matchAfter(sort, page.after)] : []
  return {
    filter: matchAll([buildCountFilter(query), ...keyset]),
    sort: Object.fromEntries(
      sort.map(({ attribute, direction }) => [attribute.name, direction === 'asc' ? 1 : -1]),
    ),
    ...rangeOf(page),
    projection: buildProjection(
      plan,
      fields,
      page.kind === 'cursor' ? sort.map(({ attribute }) => attribute.name) : [],
    ),
  }
}

/** What the total counts: everything that the request matches, on whatever page. */
export function buildCountFilter(query: {
  readonly version: VersionSelection
  readonly filter: Filter | null
}): Document {
  const conditions = query.filter === null ? [] : [translateFilter(query.filter)]
  return matchAll([matchVersions(query.version), ...conditions])
}

/** What an answer shows, and `also`; `id` and `documentId` always. */
export function buildProjection(
  holder: AttributeHolder,
  fields: FieldSelection,
  also: readonly string[] = [],
): Document {
  const names = fields === 'all' ? shownMembers(holder) : ['id', 'documentId', ...fields]
  return { _id: 0, ...Object.fromEntries([...names, ...also].map((name) => [name, 1])) }
}

function shownMembers(holder: AttributeHolder): readonly string[] {
  return [...holder.members.values()]
    .filter((member) => member.kind === 'scalar' && !member.private)
    .map(({ name }) => name)
}

function rangeOf(page: Page): { readonly skip: number; readonly limit: number } {
  switch (page.kind) {
    case 'page':
      return { skip: (page.page - 1) * page.pageSize, limit: page.pageSize }
    case 'offset':
      return { skip: page.start, limit: page.limit }
    case 'cursor':
      return { skip: 0, limit: page.pageSize + 1 }
  }
}

/**
 * What comes after an entry in an order: for each key, equal in all before it and beyond in this one.
 * The first key bounds the whole as well, so that an index on it is entered where the page begins.
 */
function matchAfter(sort: readonly SortKey[], values: readonly unknown[]): Document {
  const after = sort.map(({ attribute, direction }, index) => {
    const equal = sort
      .slice(0, index)
      .map((key, position) => ({ [key.attribute.name]: { $eq: toBson(values[position]) } }))
    return matchAll([...equal, { [attribute.name]: beyond(toBson(values[index]), direction) }])
  })
  const [only, ...others] = after
  if (only === undefined || others.length === 0) return only ?? {}
  return matchAll([matchFrom(sort, values), { $or: after }])
}

function matchFrom([first]: readonly SortKey[], values: readonly unknown[]): Document {
  const value = toBson(values[0])
  if (first === undefined || (first.direction === 'asc' && value === null)) return {}
  return { [first.attribute.name]: from(value, first.direction) }
}

/** Null (or missing) is the lowest; `$gt` and `$lt` never leave the type of their operand. */
function beyond(value: unknown, direction: SortKey['direction']): Document {
  if (direction === 'asc') return value === null ? { $ne: null } : { $gt: value }
  return value === null ? { $in: [] } : { $not: { $gte: value } }
}

function from(value: unknown, direction: SortKey['direction']): Document {
  if (direction === 'asc') return { $gte: value }
  return value === null ? { $eq: null } : { $not: { $gt: value } }
}
