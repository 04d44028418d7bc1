import type { Document } from 'mongodb'
import type { FieldSelection, Page, PopulateNode, Query, SortKey } from '../../query/query.ts'
import type { ScalarPlan, ShapePlan, StoredAttributeName } from '../../schema/plan.ts'
import { FILE_TRANSLATIONS, showsFileTexts } from '../../schema/definition.ts'
import { storedPathOf } from '../../schema/stored-path.ts'
import { toBson } from '../versions/stored-value.ts'
import { fallbackStages } from './target-version.ts'
import { matchNamed, mostVersions } from './read-unique.ts'
import { buildSort, UNORDERED } from './sort-plan.ts'
import { type Conditions, matchAll } from './translate-filter.ts'
import { matchVersions } from '../versions/version-match.ts'
import type { ReadPlan } from './run-read.ts'

/** A cursor page reads one extra entry. With a sort, DocumentDB scans the whole list, also for one version. */
export function buildFind(query: Query, conditions: Conditions): ReadPlan {
  const { page, filter, sort, plan, fields, version, populate, reader } = query
  const isOne = mostVersions(filter, version) <= 1
  const keyset = page.kind === 'cursor' && page.after !== null ? matchAfter(sort, page.after) : {}
  return {
    filter: matchAll([matchNamed(filter, version), matchVersions(version), keyset]),
    conditions,
    order: isOne ? UNORDERED : buildSort(sort, version, reader),
    chosen: fallbackStages(plan, version, conditions),
    answer: reader.answer,
    ...rangeOf(page),
    projection: {
      ...buildProjection(plan, fields, populate),
      ...(page.kind === 'cursor' &&
        Object.fromEntries(sort.map(({ attribute }) => [attribute.storedName, 1]))),
    },
  }
}

/** The requested fields and the attributes that populate needs. */
export function buildProjection(
  holder: ShapePlan,
  fields: FieldSelection,
  populate: readonly PopulateNode[],
): Record<string, 0 | 1> {
  const names =
    fields === 'all'
      ? shownMembers(holder)
      : ['id', 'documentId', ...fields.flatMap((name) => storedNames(holder, name))]
  const projection: Record<string, 0 | 1> = { _id: 0 }
  for (const name of names) projection[storedPathOf(holder, name)] = 1
  for (const node of populate) {
    const name = storedName(node)
    if (name !== null) projection[name] = 1
  }
  projection['locale'] = 1
  if (showsFileTexts(holder, names)) projection[FILE_TRANSLATIONS] = 1
  return projection
}

function storedName(node: PopulateNode): StoredAttributeName | null {
  switch (node.kind) {
    case 'localizations':
    case 'users':
      return null
    case 'relation':
      return node.relation.storedName
    case 'component':
      return node.component.storedName
    case 'zone':
      return node.zone.storedName
    case 'media':
      return node.media.storedName
  }
}

const shownByItself = new WeakMap<ShapePlan, readonly string[]>()

/** The attributes that a member is computed from, or itself. */
function storedNames({ members }: ShapePlan, name: string): readonly string[] {
  const member = members.get(name)
  return member?.kind === 'scalar' && member.computed !== undefined ? member.computed.from : [name]
}

export function shownMembers(holder: ShapePlan): readonly string[] {
  const known = shownByItself.get(holder)
  if (known !== undefined) return known
  const names = [...holder.members.values()]
    .filter((member) => member.kind === 'scalar' && !member.private && !member.onRequest)
    .flatMap(({ name }) => storedNames(holder, name))
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

/** Equal in all previous keys, beyond the cursor in the next. The bound on the first key serves index scans. */
function matchAfter(sort: readonly SortKey[], values: readonly unknown[]): Document {
  const after = sort.map(({ attribute, direction }, index) => {
    const equal = sort
      .slice(0, index)
      .map((key, position) => ({ [key.attribute.storedName]: { $eq: toBson(values[position]) } }))
    return matchAll([
      ...equal,
      { [attribute.storedName]: beyond(attribute, toBson(values[index]), direction) },
    ])
  })
  const [only, ...others] = after
  if (only === undefined || others.length === 0) return only ?? {}
  return matchAll([matchFrom(sort, values), { $or: after }])
}

function matchFrom([first]: readonly SortKey[], values: readonly unknown[]): Document {
  const value = toBson(values[0])
  if (first === undefined || (first.direction === 'asc' && value === null)) return {}
  return { [first.attribute.storedName]: from(first.attribute, value, first.direction) }
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
function isNeverNull({ system, name, nullable = false }: ScalarPlan): boolean {
  return system && !nullable && name !== 'publishedAt'
}
