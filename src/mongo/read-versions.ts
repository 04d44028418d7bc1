import type { EntryQuery, Query, VersionKey } from '../query/query.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import { buildFind, buildProjection } from './build-find.ts'
import { type Conditions, matchStages } from './conditions.ts'
import type { Database, Session } from './database.ts'
import {
  asVersion,
  optionsOf,
  readVersions,
  run,
  type StoredVersion,
  versionsOf,
} from './stored-version.ts'
import { resolveFilter } from './resolve-filter.ts'
import { matchAll } from './translate-filter.ts'
import { matchDocument, matchVersions, versionId } from './version-match.ts'

/** Bound of a command on many versions, which no client waits for. */
export const BULK_TIMEOUT_MS = 60_000

export interface VersionPage {
  /** In the order asked for; of a page by cursor one more than it shows, see `buildFind`. */
  readonly versions: readonly StoredVersion[]
  /** How many there are on all pages; null when the request asked for no count. */
  readonly total: number | null
}

/** One page of a list: one find and, in parallel, one count. */
export async function findPage(database: Database, query: Query): Promise<VersionPage> {
  const { filter, version, reader } = query
  const conditions = await resolveFilter(database, filter, version, reader)
  const [versions, total] = await Promise.all([
    readVersions(database, query.plan, buildFind(query, conditions)),
    query.page.withCount ? countVersions(database, query, conditions) : null,
  ])
  return { versions, total }
}

function countVersions(database: Database, query: Query, conditions: Conditions): Promise<number> {
  const versions = versionsOf(database, query.plan)
  const which = matchVersions(query.version)
  const options = optionsOf(database, undefined)
  return run(undefined, async () => {
    if (conditions.lookups.length === 0) {
      return versions.countDocuments(matchAll([which, conditions.match]), options)
    }
    const stages = [...matchStages(which, conditions), { $count: 'total' }]
    const [counted] = await versions
      .aggregate<{ readonly total: number }>(stages, options)
      .toArray()
    return counted?.total ?? 0
  })
}

/** A version as an answer shows it; null when there is none, or it does not meet the filter. */
export async function getVersion(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  key: VersionKey,
  query: EntryQuery,
): Promise<StoredVersion | null> {
  const { filter, fields, populate, reader } = query
  const selection = { locales: [key.locale], status: key.status }
  const [found] = await readVersions(database, plan, {
    filter: { _id: versionId(documentId, key) },
    conditions: await resolveFilter(database, filter, selection, reader),
    order: UNORDERED,
    skip: 0,
    limit: 1,
    projection: buildProjection(plan, fields, populate),
  })
  return found ?? null
}

const UNORDERED = { lookups: [], sort: {} }

/** A version with everything that is stored of it, for one that is about to be changed. */
export async function getWholeVersion(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  key: VersionKey,
  session: Session,
): Promise<StoredVersion | null> {
  const found = await run(session, () =>
    versionsOf(database, plan).findOne(
      { _id: versionId(documentId, key) },
      optionsOf(database, session),
    ),
  )
  return found === null ? null : asVersion(found)
}

/** Every version of a document, whole. */
export function getAllVersions(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session?: Session,
): Promise<readonly StoredVersion[]> {
  return run(session, async () => {
    const found = await versionsOf(database, plan)
      .find(matchDocument(documentId), optionsOf(database, session))
      .toArray()
    return found.map(asVersion)
  })
}

/** Of these `_id`s (`versionId`), those under which a version is stored. */
export function findStoredVersionIds(
  database: Database,
  plan: ContentTypePlan,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return run(undefined, async () => {
    const found = await versionsOf(database, plan)
      .find(
        { _id: { $in: [...ids] } },
        { maxTimeMS: BULK_TIMEOUT_MS, projection: { _id: 1 }, batchSize: ids.length + 1 },
      )
      .toArray()
    return new Set(found.map(({ _id }) => _id))
  })
}
