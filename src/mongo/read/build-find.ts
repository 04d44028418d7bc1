import type { Document } from 'mongodb'
import type { FieldSelection, Page, PopulateNode, Query, SortKey } from '../../query/query.ts'
import { nodeName } from '../../query/node-name.ts'
import type { ShapePlan, ScalarPlan } from '../../schema/plan.ts'
import { toBson } from '../versions/stored-value.ts'
import { fallbackStages } from './fallback-stages.ts'
import type { Conditions } from './conditions.ts'
import { matchNamed, mostVersions } from './unique-conditions.ts'
import { buildSort, UNORDERED } from './sort-plan.ts'
import { matchAll } from './translate-filter.ts'
import { matchVersions } from '../versions/version-match.ts'
import type { ReadPlan } from './run-read.ts'

/**
 * The one query that a list needs. A page by cursor asks for one entry more than it shows: the last
 * one shows whether there is a next page. A query that finds at most one version is sent without an order, for
 * which DocumentDB would walk the whole list.
 */
export function buildFind(query: Query, conditions: Conditions): ReadPlan {
  const { page, filter, sort, plan, fields, version, populate, reader } = query
  const isOne = mostVersions(filter, version) <= 1
  const keyset = page.kind === 'cursor' && page.after !== null ? matchAfter(sort, page.after) : {}
  return {
    filter: matchAll([matchNamed(filter, version), matchVersions(version), keyset]),
    conditions,
    order: isOne ? UNORDERED : buildSort(sort, version, reader),
    chosen: fallbackStages(plan, version),
    answer: reader.answer,
    ...rangeOf(page),
    projection: {
      ...buildProjection(plan, fields, populate),
      ...(page.kind === 'cursor' &&
        Object.fromEntries(sort.map(({ attribute }) => [attribute.name, 1]))),
    },
  }
}

/**
 * What an answer shows, and what its populated attributes are found by: `id`, `documentId` and `locale`
 * always.
 */
export function buildProjection(
  holder: ShapePlan,
  fields: FieldSelection,
  populate: readonly PopulateNode[],
): Record<string, 0 | 1> {
  const names = fields === 'all' ? shownMembers(holder) : ['id', 'documentId', ...fields]
  const projection: Record<string, 0 | 1> = { _id: 0 }
  for (const name of names) projection[name] = 1
  for (const node of populate) {
    const name = storedName(node)
    if (name !== null) projection[name] = 1
  }
  projection['locale'] = 1
  return projection
}

/**
 * The attribute that holds what a node shows; an inverse side holds the order of what it shows. Null where
 * it is found by the documentId alone.
 */
function storedName(node: PopulateNode): string | null {
  return node.kind === 'localizations' || node.kind === 'users' ? null : nodeName(node)
}

/** Per content-type. */
const shownByItself = new WeakMap<ShapePlan, readonly string[]>()

/** What an entry shows by itself. */
export function shownMembers(holder: ShapePlan): readonly string[] {
  const known = shownByItself.get(holder)
  if (known !== undefined) return known
  const names = [...holder.members.values()]
    .filter((member) => member.kind === 'scalar' && !member.private && !member.onRequest)
    .map(({ name }) => name)
  shownByItself.set(holder, names)
  return names
}

/** Which part of a list a page reads. */
export function rangeOf(page: Page): { readonly skip: number; readonly limit: number } {
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
    return matchAll([
      ...equal,
      { [attribute.name]: beyond(attribute, toBson(values[index]), direction) },
    ])
  })
  const [only, ...others] = after
  if (only === undefined || others.length === 0) return only ?? {}
  return matchAll([matchFrom(sort, values), { $or: after }])
}

function matchFrom([first]: readonly SortKey[], values: readonly unknown[]): Document {
  const value = toBson(values[0])
  if (first === undefined || (first.direction === 'asc' && value === null)) return {}
  return { [first.attribute.name]: from(first.attribute, value, first.direction) }
}

/** Null (or missing) is the lowest; `$gt` and `$lt` never leave the type of their operand. */
function beyond(attribute: ScalarPlan, value: unknown, direction: SortKey['direction']): Document {
  if (direction === 'asc') return value === null ? { $ne: null } : { $gt: value }
  if (isNeverNull(attribute)) return { $lt: value }
  return value === null ? { $in: [] } : { $not: { $gte: value } }
}

function from(attribute: ScalarPlan, value: unknown, direction: SortKey['direction']): Document {
  if (direction === 'asc') return { $gte: value }
  if (isNeverNull(attribute)) return { $lte: value }
  return value === null ? { $eq: null } : { $not: { $gt: value } }
}

/** What every version has; `publishedAt` is null in drafts. */
function isNeverNull({ system, name }: ScalarPlan): boolean {
  return system && name !== 'publishedAt'
}
