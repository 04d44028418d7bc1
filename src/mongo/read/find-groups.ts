import { BSON, type Document } from 'mongodb'
import { AGGREGATE_LIMITS, type GroupedQuery } from '../../query/aggregate.ts'
import type { Aggregate, GroupKey, RelationNode } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { RelationPlan, ScalarPlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { DECODING } from '../versions/stored-version.ts'
import { matchVersions } from '../versions/version-match.ts'
import { dayOf, monthOfDay } from './calendar-expressions.ts'
import { askedPublication } from './published-conditions.ts'
import { matchNamed } from './read-unique.ts'
import { resolveQuery } from './read-versions.ts'
import { resolveFilter } from './resolve-filter.ts'
import { fallbackStages, shownVersions, targetVersion } from './target-version.ts'
import { bothConditions, matchAll, matchStages } from './translate-filter.ts'
import { batchSizeOf, visitAggregated } from './visit-rows.ts'

/** Stored values. A day is the number of days since 1970, a month the number of months since the year 0. */
export interface FoundGroup {
  readonly keys: readonly unknown[]
  readonly count: number
  valuesOf(attribute: ScalarPlan): GroupValues
}

export interface GroupValues {
  /** An exact decimal for big integers. */
  readonly sum: unknown
  /** The number of entries with a value. */
  readonly filled: number
  readonly min: unknown
  readonly max: unknown
}

export interface FoundGroups {
  readonly groups: readonly FoundGroup[]
  /** Whether there are more groups. */
  readonly isCapped: boolean
}

/**
 * Groups by stored values first, and then looks up the targets once per group. An entry belongs to the group of each
 * target that the reader sees, or to the group null without any. `ids` limits the entries to these versions.
 */
export async function findGroups(
  database: Database,
  query: GroupedQuery,
  ids: readonly string[] | null = null,
): Promise<FoundGroups> {
  const { plan, filter, version, aggregate, reader } = query
  const attributes = [...new Set(aggregate.measures.map(({ attribute }) => attribute))]
  const [{ conditions }, ...joins] = await Promise.all([
    resolveQuery(database, query),
    ...aggregate.groupBy.map((key, index) => joinTargets(database, query, key, index)),
  ])
  const isMerged = aggregate.groupBy.some(({ kind }) => kind === 'relation' || kind === 'month')
  const named = ids === null ? [] : [{ _id: { $in: [...ids] } }]
  const matched = matchAll([...named, matchNamed(filter, version), matchVersions(version)])
  const byKey = Object.fromEntries(aggregate.groupBy.map((_, index) => [`_id.k${index}`, 1]))
  const limit = AGGREGATE_LIMITS.groups
  const stages = [
    ...matchStages(matched, conditions),
    ...fallbackStages(plan, version, conditions),
    { $group: { _id: keysBy(aggregate, storedKey), ...accumulate(attributes) } },
    ...joins.flat(),
    ...(isMerged ? [{ $group: { _id: keysBy(aggregate, shownKey), ...merge(attributes) } }] : []),
    { $sort: byKey },
    { $limit: limit + 1 },
  ]
  const groups: FoundGroup[] = []
  const batchSize = batchSizeOf(limit + 1)
  await visitAggregated(database, plan, stages, { batchSize }, (bytes) => {
    reader.answer.read(bytes.length)
    groups.push(toGroup(BSON.deserialize(bytes, DECODING), aggregate, attributes))
  })
  return {
    groups: groups.slice(0, limit),
    isCapped: groups.length > limit,
  }
}

function toGroup(row: Data, { groupBy }: Aggregate, attributes: readonly ScalarPlan[]): FoundGroup {
  const keys = row['_id'] as Data
  return {
    keys: groupBy.map((_, index) => keys[`k${index}`] ?? null),
    count: Number(row['n']),
    valuesOf: (attribute) => {
      const index = attributes.indexOf(attribute)
      return {
        sum: row[`sum${index}`],
        filled: Number(row[`filled${index}`]),
        min: row[`min${index}`] ?? null,
        max: row[`max${index}`] ?? null,
      }
    },
  }
}

function keysBy(
  { groupBy }: Aggregate,
  build: (key: GroupKey, index: number) => unknown,
): Document {
  return Object.fromEntries(
    groupBy.map((key, index) => [`k${index}`, { $ifNull: [build(key, index), null] }]),
  )
}

function storedKey(key: GroupKey): unknown {
  switch (key.kind) {
    case 'value':
      return `$${key.attribute.storedName}`
    case 'day':
    case 'month':
      return dayOf(`$${key.attribute.storedName}`)
    case 'relation':
      return storedTargets(key.node.relation)
  }
}

/** The cardinality may have changed since the write. */
function storedTargets(relation: RelationPlan): unknown {
  if (!isHeldHere(relation)) return '$documentId'
  const stored = `$${relation.storedName}`
  if (relation.toMany) return stored
  return { $cond: [{ $isArray: [stored] }, { $arrayElemAt: [stored, 0] }, stored] }
}

/** Months are calculated once per day, because their expression is expensive. */
function shownKey({ kind }: GroupKey, index: number): unknown {
  if (kind === 'relation') return `$target${index}.documentId`
  return kind === 'month' ? monthOfDay(`$_id.k${index}`) : `$_id.k${index}`
}

function isHeldHere({ side, otherSide }: RelationPlan): boolean {
  return side === 'owner' || otherSide === null
}

/** Neither `$avg`, which the embedded engine computes from a list, nor sums of longs, which overflow to doubles. */
function accumulate(attributes: readonly ScalarPlan[]): Document {
  return allMembers({ $sum: 1 }, attributes, ({ storedName, type }) => {
    const stored = `$${storedName}`
    const isNumber = { $isNumber: stored }
    const exact = { $cond: [isNumber, { $toDecimal: stored }, null] }
    return {
      sum: { $sum: type === 'biginteger' ? exact : stored },
      filled: { $sum: { $cond: [isNumber, 1, 0] } },
      min: { $min: stored },
      max: { $max: stored },
    }
  })
}

function merge(attributes: readonly ScalarPlan[]): Document {
  return allMembers({ $sum: '$n' }, attributes, (_, index) => ({
    sum: { $sum: `$sum${index}` },
    filled: { $sum: `$filled${index}` },
    min: { $min: `$min${index}` },
    max: { $max: `$max${index}` },
  }))
}

function allMembers(
  n: Document,
  attributes: readonly ScalarPlan[],
  membersOf: (
    attribute: ScalarPlan,
    index: number,
  ) => Readonly<Record<keyof GroupValues, Document>>,
): Document {
  const members = attributes.flatMap((attribute, index) =>
    Object.entries(membersOf(attribute, index)).map(([name, accumulator]): [string, Document] => [
      `${name}${index}`,
      accumulator,
    ]),
  )
  return { n, ...Object.fromEntries(members) }
}

async function joinTargets(
  database: Database,
  { version, reader }: GroupedQuery,
  key: GroupKey,
  index: number,
): Promise<readonly Document[]> {
  const [locale] = version.locales
  if (key.kind !== 'relation' || locale === undefined) return []
  const { relation, filter }: RelationNode = key.node
  const target = relation.target()
  const from = targetVersion(target, { locale, status: version.status }, reader)
  const selection = shownVersions(target, from, reader)
  const conditions = bothConditions(
    await resolveFilter(database, filter, selection, reader),
    askedPublication(target, selection.status, reader),
  )
  const as = `target${index}`
  const lookup = {
    from: target.collectionName,
    localField: `_id.k${index}`,
    foreignField: isHeldHere(relation) ? 'documentId' : relation.otherStored(),
    pipeline: [
      ...matchStages(matchVersions(selection), conditions),
      ...fallbackStages(target, selection, conditions),
      { $project: { _id: 0, documentId: 1 } },
    ],
    as,
  }
  const unwind = { path: `$${as}`, preserveNullAndEmptyArrays: true }
  return [{ $lookup: lookup }, { $unwind: unwind }]
}
