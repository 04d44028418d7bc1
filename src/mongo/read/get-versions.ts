import type { VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import {
  asVersion,
  type StoredVersion,
  type VersionDocument,
  versionsOf,
} from '../versions/stored-version.ts'
import { matchDocument, versionId } from '../versions/version-match.ts'

/** Timeout of commands on many versions that no client waits for. */
export const BULK_TIMEOUT_MS = 60_000

export async function getWholeVersion(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  key: VersionKey,
  session: Session | undefined,
): Promise<StoredVersion | null> {
  const found = await versionsOf(database, plan).findOne(
    { _id: versionId(documentId, key) },
    { session },
  )
  return found === null ? null : asVersion(plan, found)
}

export interface WrittenLine {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly locale: string
}

/** The version that a write replaces: the draft, or the published version if there is no draft. */
export async function getOverwritten(
  database: Database,
  { plan, documentId, locale }: WrittenLine,
  session?: Session,
): Promise<StoredVersion | null> {
  const get = (status: 'draft' | 'published') =>
    getWholeVersion(database, plan, documentId, { locale, status }, session)
  return (plan.draftAndPublish ? await get('draft') : null) ?? (await get('published'))
}

export async function getAllVersions(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session?: Session,
): Promise<readonly StoredVersion[]> {
  const found = await versionsOf(database, plan)
    .find(matchDocument(documentId), { session })
    .toArray()
  return found.map((row) => asVersion(plan, row))
}

export async function findStoredVersionIds(
  database: Database,
  plan: ContentTypePlan,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await versionsOf(database, plan)
    .find(
      { _id: { $in: [...ids] } },
      { maxTimeMS: BULK_TIMEOUT_MS, projection: { _id: 1 }, batchSize: ids.length + 1 },
    )
    .toArray()
  return new Set(found.map(({ _id }) => _id))
}

/** Finds the stored ones of the given `_id`s (`versionId`). Sends no command for none. */
export async function findVersions(
  database: Database,
  plan: ContentTypePlan,
  ids: readonly string[],
  session?: Session,
): Promise<readonly VersionDocument[]> {
  if (ids.length === 0) return []
  const filter = { _id: { $in: [...ids] } }
  return versionsOf(database, plan).find(filter, { session }).toArray()
}
