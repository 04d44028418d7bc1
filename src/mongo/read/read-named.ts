import { uncountedAnswer } from '../../query/answer-size.ts'
import type { Query } from '../../query/query.ts'
import type { Database } from '../connection/database.ts'
import type { StoredVersion } from '../versions/stored-version.ts'
import { matchVersions } from '../versions/version-match.ts'
import { buildProjection } from './build-find.ts'
import { matchNamed } from './read-unique.ts'
import { resolveQuery } from './read-versions.ts'
import { type ReadPlan, readVersions } from './run-read.ts'
import { UNORDERED } from './sort-plan.ts'
import { fallbackStages } from './target-version.ts'
import { type Conditions, matchAll } from './translate-filter.ts'

/** A version without its content, for the order of search results. */
export interface VisibleVersion extends Pick<StoredVersion, 'id' | 'documentId' | 'updatedAt'> {
  readonly _id: string
}

/** The named versions that match all conditions of the query. Their size does not count as part of a response. */
export async function findVisible(
  database: Database,
  query: Query,
  ids: readonly string[],
): Promise<readonly VisibleVersion[]> {
  const { conditions } = await resolveQuery(database, query)
  const read = planOfNamed(query, conditions, ids)
  const projection = { id: 1, documentId: 1, updatedAt: 1, locale: 1 }
  const answer = uncountedAnswer()
  const versions = await readVersions(database, query.plan, { ...read, projection, answer })
  return versions.map(toVisible)
}

function toVisible({ _id, id, documentId, updatedAt }: StoredVersion): VisibleVersion {
  return { _id: String(_id), id, documentId, updatedAt }
}

/** Reads the named versions that match all conditions of the query, with the attributes that it selects. */
export async function findNamedVersions(
  database: Database,
  query: Query,
  ids: readonly string[],
): Promise<readonly (StoredVersion & { readonly _id: string })[]> {
  const { conditions } = await resolveQuery(database, query)
  return readNamed(database, query, conditions, ids)
}

export async function readNamed(
  database: Database,
  query: Query,
  conditions: Conditions,
  ids: readonly string[],
): Promise<readonly (StoredVersion & { readonly _id: string })[]> {
  const read = planOfNamed(query, conditions, ids)
  const projection = { ...read.projection, _id: 1 }
  const versions = await readVersions(database, query.plan, { ...read, projection })
  return versions.map((version) => ({ ...version, _id: String(version['_id']) }))
}

function planOfNamed(query: Query, conditions: Conditions, ids: readonly string[]): ReadPlan {
  const { version, plan, filter, reader, fields, populate } = query
  return {
    filter: matchAll([
      { _id: { $in: [...ids] } },
      matchNamed(filter, version),
      matchVersions(version),
    ]),
    conditions,
    order: UNORDERED,
    chosen: fallbackStages(plan, version),
    skip: 0,
    limit: 0,
    projection: buildProjection(plan, fields, populate),
    answer: reader.answer,
  }
}
