import type { Document } from 'mongodb'
import type { Query, SortKey, VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import { valueName } from '../../schema/alias.ts'
import type { RelationPlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { buildSort, sortPlaces, type SortPlan } from './sort-plan.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { fallbackStages, shownVersions, targetVersion } from './target-version.ts'
import { matchAll, MAY_BE_LISTS } from './translate-filter.ts'
import { matchVersions } from '../versions/version-match.ts'

export interface TargetOrder {
  readonly relation: RelationPlan
  readonly path: string
  /** The path with the names of the attributes. */
  readonly named: string
  readonly keys: readonly SortKey[]
  readonly rest: readonly SortKey[]
}

/** Targets with equal values. Null stands for a missing or invisible target. */
export type TargetGroup = readonly (string | null)[]

/** The leading sort keys that pass through one to-one relation; null if sorting needs lookups. */
export function targetOrderOf(sort: readonly SortKey[]): TargetOrder | null {
  const steps = sort[0]?.through ?? []
  const at = steps.findIndex(({ kind }) => kind === 'relation')
  const relation = steps[at]
  if (relation?.kind !== 'relation' || relation.toMany || relation.side !== 'owner') return null
  const prefix = steps.slice(0, at + 1)
  const isElsewhere = ({ through }: SortKey): boolean =>
    prefix.some((step, index) => through[index]?.name !== step.name)
  const end = sort.findIndex(isElsewhere)
  const keys = sort.slice(0, end === -1 ? sort.length : end)
  if (prefix.some(isList) || keys.some((key) => endsInList(key, prefix.length))) return null
  return {
    relation,
    path: prefix.map(({ storedName }) => storedName).join('.'),
    named: prefix.map(valueName).join('.'),
    keys: keys.map((key) => ({ ...key, through: key.through.slice(prefix.length) })),
    rest: sort.slice(keys.length),
  }
}

function endsInList({ through, attribute }: SortKey, from: number): boolean {
  const last = through.findLastIndex(({ kind }) => kind === 'relation')
  // Through a second relation, the components of the target may still be lists.
  return MAY_BE_LISTS.has(attribute.type) || through.slice(Math.max(from, last + 1)).some(isList)
}

function isList(step: SortKey['through'][number]): boolean {
  return step.kind === 'component' && step.repeatable
}

export async function orderTargets(
  database: Database,
  { relation, keys }: TargetOrder,
  documentIds: readonly string[],
  from: VersionKey,
  { reader }: Pick<Query, 'reader'>,
): Promise<readonly TargetGroup[]> {
  const target = relation.target()
  const versions = shownVersions(target, targetVersion(target, from, reader), reader)
  const order = buildSort(keys, versions, reader)
  const directions = Object.entries(order.sort)
  // A sort treats missing and null as equal, but `$group` separates them.
  const values = directions.map(([path], index): [string, Document] => [
    `k${index}`,
    { $ifNull: [`$${path}`, null] },
  ])
  const sort = Object.fromEntries(directions.map(([, way], index) => [`_id.k${index}`, way]))
  const stages = [
    { $match: matchAll([matchVersions(versions), { documentId: { $in: [...documentIds] } }]) },
    ...fallbackStages(target, versions),
    ...order.lookups,
    { $group: { _id: Object.fromEntries(values), ids: { $push: '$documentId' } } },
    { $sort: sort },
  ]
  const found = await versionsOf(database, target).aggregate<FoundGroup>(stages, {
    batchSize: documentIds.length + 1,
  })
  const seen = new Set(found.flatMap(({ ids }) => ids))
  const unseen = [null, ...documentIds.filter((documentId) => !seen.has(documentId))]
  const isDecimal = keys.some(({ attribute }) => attribute.type === 'decimal')
  return placeNull(isDecimal ? mergeEqual(found, sort) : found, unseen, keys)
}

/** DocumentDB groups by hash and separates 0.1 from 0.10 (observed in 2026). */
function mergeEqual(groups: readonly FoundGroup[], sort: SortPlan['sort']): readonly FoundGroup[] {
  const merged = new Map<number | undefined, FoundGroup>()
  const places = sortPlaces(groups, { sort })
  for (const group of groups) {
    const place = places.get(group)
    const before = merged.get(place)
    const ids = before === undefined ? group.ids : [...before.ids, ...group.ids]
    merged.set(place, { _id: group._id, ids })
  }
  return [...merged.values()]
}

interface FoundGroup extends Data {
  readonly _id: Readonly<Record<string, unknown>>
  readonly ids: readonly string[]
}

function placeNull(
  groups: readonly FoundGroup[],
  unseen: TargetGroup,
  keys: readonly SortKey[],
): readonly TargetGroup[] {
  const firstValue = ({ _id }: FoundGroup): SortKey | undefined =>
    keys.find((_, index) => _id[`k${index}`] !== null)
  const before = groups.filter((group) => firstValue(group)?.direction === 'desc')
  const equal = groups.filter((group) => firstValue(group) === undefined)
  const after = groups.filter((group) => firstValue(group)?.direction === 'asc')
  return [
    ...before.map(({ ids }) => ids),
    [...unseen, ...equal.flatMap(({ ids }) => ids)],
    ...after.map(({ ids }) => ids),
  ]
}
