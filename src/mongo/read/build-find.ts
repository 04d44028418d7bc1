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
 * A page by cursor reads one extra entry to detect the next page. A query for one version has no
 * sort, because with a sort DocumentDB scans the whole list.
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

/** The requested fields and the attributes that populate needs. */
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

function storedName(node: PopulateNode): string | null {
  return node.kind === 'localizations' || node.kind === 'users' ? null : nodeName(node)
}

const shownByItself = new WeakMap<ShapePlan, readonly string[]>()

export function shownMembers(holder: ShapePlan): readonly string[] {
  const known = shownByItself.get(holder)
  if (known !== undefined) return known
  const names = [...holder.members.values()]
    .filter((member) => member.kind === 'scalar' && !member.private && !member.onRequest)
    .map(({ name }) => name)
  shownByItself.set(holder, names)
  return names
}

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
 * Equal in all previous keys, beyond the cursor in the next. The first key is also bounded on its
 * own, so that an index scan can start at the page.
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

/** Null and missing sort first, but `$gt` and `$lt` only match the type of their operand. */
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

/** System attributes are set in every version, except `publishedAt`, which is null in drafts. */
function isNeverNull({ system, name }: ScalarPlan): boolean {
  return system && name !== 'publishedAt'
}
