import type { Document } from 'mongodb'
import type { Filter, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { optionsAt } from '../connection/time-limits.ts'
import type { Moment } from '../connection/database.ts'
import { storedPathOf } from '../../schema/stored-path.ts'
import { asVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { matchVersions } from '../versions/version-match.ts'
import { matchAll, translateFilter } from './translate-filter.ts'

export interface SyncedRead {
  /** Null reads all locales and statuses. */
  readonly selection: VersionSelection | null
  readonly filter: Filter | null
  /** A further condition in the language of the database. */
  readonly condition: Document | null
  readonly projection: Document
}

export type SyncedVersion = StoredVersion & { readonly _id: string }

function storedProjection(plan: ContentTypePlan, projection: Document): Document {
  if (!plan.isRenamed()) return projection
  return Object.fromEntries(
    Object.entries(projection).map(([name, shown]) => [storedPathOf(plan, name), shown as unknown]),
  )
}

/** Reads the versions after an `_id` in order. An `_id` never changes, so no version is skipped. */
export function readSyncedAfter(
  moment: Moment,
  plan: ContentTypePlan,
  { selection, filter, condition, projection }: SyncedRead,
  { after, limit }: { readonly after: string; readonly limit: number },
  take: (version: SyncedVersion) => boolean,
): Promise<void> {
  const which = matchAll([
    { _id: { $gt: after } },
    selection === null ? {} : matchVersions(selection),
    filter === null ? {} : translateFilter(filter),
    condition ?? {},
  ])
  return versionsOf(moment.database, plan)
    .find(which, {
      ...optionsAt(moment),
      batchSize: limit + 1,
      projection: storedProjection(plan, projection),
      hint: { _id: 1 },
    })
    .sort({ _id: 1 })
    .limit(limit)
    .take((version) => take(asVersion(plan, version) as SyncedVersion))
}

export async function readSynced(
  moment: Moment,
  plan: ContentTypePlan,
  { filter, condition, projection }: Omit<SyncedRead, 'selection'>,
  ids: readonly string[],
): Promise<readonly SyncedVersion[]> {
  const which = matchAll([
    { _id: { $in: [...ids] } },
    filter === null ? {} : translateFilter(filter),
    condition ?? {},
  ])
  const found = await versionsOf(moment.database, plan)
    .find(which, {
      ...optionsAt(moment),
      batchSize: ids.length + 1,
      projection: storedProjection(plan, projection),
    })
    .toArray()
  return found.map((version) => asVersion(plan, version) as SyncedVersion)
}
