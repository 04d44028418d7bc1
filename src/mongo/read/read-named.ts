import { BSON, type Document } from 'mongodb'
import { uncountedAnswer } from '../../query/answer-size.ts'
import type { Query } from '../../query/query.ts'
import type { AttributePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { decodeRow, type StoredVersion } from '../versions/stored-version.ts'
import { isAdopted } from '../versions/adopted-expression.ts'
import { matchVersions, versionId } from '../versions/version-match.ts'
import { buildProjection } from './build-find.ts'
import { matchNamed } from './read-unique.ts'
import { resolveQuery } from './read-versions.ts'
import { type ReadPlan, readVersions, visitVersions } from './run-read.ts'
import { UNORDERED } from './sort-plan.ts'
import { fallbackStages } from './target-version.ts'
import { type Conditions, matchAll, matchStages } from './translate-filter.ts'
import { visitAggregated } from './visit-rows.ts'

/** Whether the query shows all versions of its locales and status. */
export function showsAllVersions({ plan, filter, publication, stages, version }: Query): boolean {
  const isFiltered = filter !== null || publication.length > 0 || stages !== undefined
  return !isFiltered && fallbackStages(plan, version).length === 0
}

/** For a longer list, the embedded engine scans the collection, however large it is. */
export const MAX_NAMED = 2_000

/** Longer lists are read in two halves at the same time. */
const MAX_IN_ONE = 400

/** The `_id`s of the named versions that match all conditions of the query. They do not count as part of a response. */
export async function findVisible(
  database: Database,
  query: Query,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const visible = new Set<string>()
  if (ids.length === 0) return visible
  if (database.isEmbedded || isAdopted(query.plan)) {
    await visitVisible(database, query, ids, {}, ({ _id }) => visible.add(_id))
    return visible
  }
  const { conditions } = await resolveQuery(database, query)
  const half = ids.length > MAX_IN_ONE ? Math.ceil(ids.length / 2) : ids.length
  const parts = [ids.slice(0, half), ids.slice(half)].filter(({ length }) => length > 0)
  await Promise.all(
    parts.map((part) => {
      const { filter, chosen } = planOfNamed(query, conditions, part)
      // DocumentDB takes a third of the time of a row for each `_id` of a list.
      const pipeline = [...matchStages(filter, conditions), ...chosen, LISTED]
      return visitAggregated(database, query.plan, pipeline, {}, (bytes) => {
        for (const _id of BSON.deserialize(bytes)['ids'] as string[]) visible.add(_id)
      })
    }),
  )
  return visible
}

const LISTED: Document = { $group: { _id: null, ids: { $push: '$_id' } } }

/** A version, with the values that order results of the same score. */
export interface VisibleEntry {
  readonly _id: string
  readonly id: number
  /** In milliseconds since 1970. */
  readonly updatedAt: number
}

export async function findVisibleEntries(
  database: Database,
  query: Query,
  ids: readonly string[],
): Promise<readonly VisibleEntry[]> {
  const visible: VisibleEntry[] = []
  const more = { id: 1, updatedAt: 1 } as const
  await visitVisible(database, query, ids, more, ({ _id, id, updatedAt }) => {
    const time = updatedAt instanceof Date ? updatedAt.getTime() : 0
    visible.push({ _id, id, updatedAt: time })
  })
  return visible
}

async function visitVisible(
  database: Database,
  query: Query,
  ids: readonly string[],
  more: Readonly<Record<string, 1>>,
  visit: (row: ReturnType<typeof decodeRow>) => void,
): Promise<void> {
  if (ids.length === 0) return
  const { conditions } = await resolveQuery(database, query)
  const answer = uncountedAnswer()
  for (let start = 0; start < ids.length; start += MAX_NAMED) {
    const read = planOfNamed(query, conditions, ids.slice(start, start + MAX_NAMED))
    const projection = { ...more, _id: 1 }
    await visitVersions(database, query.plan, { ...read, projection, answer }, (bytes) =>
      visit(decodeRow(bytes)),
    )
  }
}

/** Reads the named versions that match all conditions of the query, with the attributes that it selects, and `others`. */
export async function findNamedVersions(
  database: Database,
  query: Query,
  ids: readonly string[],
  others: readonly AttributePlan[] = [],
): Promise<readonly (StoredVersion & { readonly _id: string })[]> {
  const { conditions } = await resolveQuery(database, query)
  return readNamed(database, query, conditions, ids, others)
}

export async function readNamed(
  database: Database,
  query: Query,
  conditions: Conditions,
  ids: readonly string[],
  others: readonly AttributePlan[] = [],
): Promise<readonly (StoredVersion & { readonly _id: string })[]> {
  const read = planOfNamed(query, conditions, ids)
  const more = Object.fromEntries(others.map(({ storedName }) => [storedName, 1]))
  const projection = { ...read.projection, ...more, _id: 1 }
  const versions = await readVersions(database, query.plan, { ...read, projection })
  return versions.map((version) => ({ ...version, _id: String(version['_id']) }))
}

function planOfNamed(query: Query, conditions: Conditions, ids: readonly string[]): ReadPlan {
  const { version, plan, filter, reader, fields, populate } = query
  return {
    filter: matchAll([...matchIds(query, ids), matchNamed(filter, version)]),
    conditions,
    order: UNORDERED,
    chosen: fallbackStages(plan, version, conditions),
    skip: 0,
    limit: 0,
    projection: buildProjection(plan, fields, populate),
    answer: reader.answer,
  }
}

/** An `_id` contains locale and status. DocumentDB decompresses a row for each condition, so the `_id` is the only one. */
function matchIds({ plan, version }: Query, ids: readonly string[]): readonly Document[] {
  if (isAdopted(plan)) return [{ _id: { $in: [...ids] } }, matchVersions(version)]
  const endings = version.locales.map((locale) => versionId('', { ...version, locale }))
  return [{ _id: { $in: ids.filter((_id) => endings.some((ending) => _id.endsWith(ending))) } }]
}
