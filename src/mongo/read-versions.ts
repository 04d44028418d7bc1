import type { FieldSelection, Filter, Query, VersionKey } from '../query/query.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import { buildCountFilter, buildFind, buildProjection } from './build-find.ts'
import type { Database, Session } from './database.ts'
import { asVersion, optionsOf, run, type StoredVersion, versionsOf } from './stored-version.ts'
import { matchAll, translateFilter } from './translate-filter.ts'
import { matchDocument, versionId } from './version-match.ts'

/** Bound of a command on many versions, which no client waits for. */
export const BULK_TIMEOUT_MS = 60_000

/** The versions that a list shows, in its order; a page by cursor has one more, see `buildFind`. */
export function findVersions(database: Database, query: Query): Promise<readonly StoredVersion[]> {
  const { filter, sort, skip, limit, projection } = buildFind(query)
  return run(undefined, async () => {
    const cursor = versionsOf(database, query.plan).find(filter, {
      ...optionsOf(database, undefined),
      sort,
      skip,
      limit,
      projection,
      batchSize: limit + 1, // all in the first batch: one command
    })
    return (await cursor.toArray()).map(asVersion)
  })
}

/** How many versions a list would show without its page. */
export function countVersions(database: Database, query: Query): Promise<number> {
  return run(undefined, () =>
    versionsOf(database, query.plan).countDocuments(
      buildCountFilter(query),
      optionsOf(database, undefined),
    ),
  )
}

/** What of a version to read: the conditions that it must meet, and the members that are needed. */
export interface VersionRead {
  readonly filter: Filter | null
  readonly fields: FieldSelection
}

/** A version as an answer shows it; null when there is none, or it does not meet the filter. */
export async function getVersion(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  key: VersionKey,
  { filter, fields }: VersionRead,
): Promise<StoredVersion | null> {
  const conditions = filter === null ? [] : [translateFilter(filter)]
  const found = await run(undefined, () =>
    versionsOf(database, plan).findOne(
      matchAll([{ _id: versionId(documentId, key) }, ...conditions]),
      { ...optionsOf(database, undefined), projection: buildProjection(plan, fields) },
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
