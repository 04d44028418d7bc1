import type { Document } from 'mongodb'
import type { Query } from '../../query/query.ts'
import { buildFind } from './build-find.ts'
import { countVersions, NOT_COUNTED, toCounted, type VersionPage } from './count-versions.ts'
import type { Database } from '../connection/database.ts'
import {
  orderTargets,
  type TargetGroup,
  type TargetOrder,
  targetOrderOf,
} from './order-by-targets.ts'
import { buildSort } from './sort-plan.ts'
import { type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { type Conditions, matchAll, matchStages } from './translate-filter.ts'
import { matchVersions } from '../versions/version-match.ts'
import { type ReadPlan, readVersions } from './run-read.ts'

/** Reads a page with at most seven commands, no lookup per entry. Null if the caller must sort with lookups. */
export async function findPageByTargets(
  database: Database,
  query: Query,
  conditions: Conditions,
): Promise<VersionPage | null> {
  const order = targetOrderOf(query.sort)
  const { locales, status } = query.version
  const [locale, ...others] = locales
  if (order === null || locale === undefined || others.length > 0) return null
  const entries = { database, query, conditions, path: order.path }
  const named = await findNamed(entries)
  if (named === null) return null
  const groups = await orderTargets(database, order, named, { locale, status }, query)
  const page = buildFind(query, conditions)
  // Every group has at least one entry.
  const reached = groups.slice(0, page.skip + page.limit + 1)
  const isAll = reached.length === groups.length
  const [counts, counted] = await Promise.all([
    countByTarget(entries, isAll ? null : reached.flat()),
    isAll ? null : countVersions(database, query, [conditions]),
  ])
  const versions = await readParts(entries, order, page, partsOf(reached, counts, page))
  if (query.page.withCount === false) return { versions, ...NOT_COUNTED }
  return { versions, ...(counted ?? toCounted(database, query, sum([...counts.values()]))) }
}

interface Entries {
  readonly database: Database
  readonly query: Query
  readonly conditions: Conditions
  readonly path: string
}

/** Null beyond the limit, or if a list is stored because the relation used to be to-many. */
async function findNamed(entries: Entries): Promise<readonly string[] | null> {
  const limit = entries.database.relatedLimit
  const found = await groupByTarget(entries, {}, [
    { $group: { _id: `$${entries.path}` } },
    { $limit: limit + 1 },
  ])
  if (found.length > limit || found.some(({ _id }) => Array.isArray(_id))) return null
  return found.flatMap(({ _id }) => (typeof _id === 'string' ? [_id] : []))
}

async function countByTarget(
  entries: Entries,
  targets: TargetGroup | null,
): Promise<ReadonlyMap<string | null, number>> {
  const which = targets === null ? {} : { [entries.path]: { $in: [...targets] } }
  const found = await groupByTarget(entries, which, [
    { $group: { _id: { $ifNull: [`$${entries.path}`, null] }, count: { $sum: 1 } } },
  ])
  return new Map(found.map(({ _id, count }) => [_id as string | null, Number(count)]))
}

function groupByTarget(
  { database, query: { plan, version }, conditions }: Entries,
  which: Document,
  stages: readonly Document[],
): Promise<readonly Document[]> {
  const versions = matchAll([matchVersions(version), which])
  const pipeline = [...matchStages(versions, conditions), ...stages]
  return versionsOf(database, plan).aggregate(pipeline, {
    batchSize: database.relatedLimit + 2,
  })
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

interface Part {
  readonly targets: TargetGroup
  readonly skip: number
  readonly limit: number
  readonly isWhole: boolean
}

function partsOf(
  groups: readonly TargetGroup[],
  counts: ReadonlyMap<string | null, number>,
  { skip, limit }: Pick<ReadPlan, 'skip' | 'limit'>,
): readonly Part[] {
  let start = 0
  return groups.flatMap((group): readonly Part[] => {
    const targets = group.filter((target) => counts.has(target))
    const count = sum(targets.map((target) => counts.get(target) ?? 0))
    const first = Math.max(skip - start, 0)
    const taken = Math.min(skip + limit - start, count) - first
    start += count
    return taken > 0 ? [{ targets, skip: first, limit: taken, isWhole: taken === count }] : []
  })
}

async function readParts(
  { database, query: { plan, version, reader }, path }: Entries,
  { rest, named }: TargetOrder,
  page: ReadPlan,
  parts: readonly Part[],
): Promise<readonly StoredVersion[]> {
  const [holder = path] = path.split('.')
  const order = buildSort(rest, version, reader)
  const projection = { ...page.projection, [holder]: 1 }
  const read = (targets: TargetGroup, range: Pick<Part, 'skip' | 'limit'>) => {
    const filter = matchAll([page.filter, { [path]: { $in: [...targets] } }])
    const { skip, limit } = range
    return readVersions(database, plan, { ...page, filter, order, projection, skip, limit })
  }
  const whole = parts.filter(({ isWhole }) => isWhole)
  const limit = sum(whole.map((part) => part.limit))
  const wanted = whole.flatMap(({ targets }) => targets)
  const shared = limit === 0 ? [] : read(wanted, { skip: 0, limit })
  const found = await Promise.all(
    parts.map(async (part) => {
      if (!part.isWhole) return read(part.targets, part)
      const versions = await shared
      return versions.filter((version) => part.targets.includes(targetOf(version, named)))
    }),
  )
  return found.flat()
}

function targetOf(version: StoredVersion, path: string): string | null {
  const value = path
    .split('.')
    .reduce<unknown>((holder, name) => (holder as Record<string, unknown> | null)?.[name], version)
  return typeof value === 'string' ? value : null
}
