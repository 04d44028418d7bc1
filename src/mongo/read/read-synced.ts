import type { Document } from 'mongodb'
import type { Filter, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { optionsAt } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Moment } from '../connection/database.ts'
import { asVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { matchVersions } from '../versions/version-match.ts'
import { matchAll, translateFilter } from './translate-filter.ts'

export interface SyncedRead {
  readonly selection: VersionSelection
  readonly filter: Filter | null
  readonly projection: Document
}

export type SyncedVersion = StoredVersion & { readonly _id: string }

/** Reads the versions after an `_id` in order. An `_id` never changes, so no version is skipped. */
export function readSyncedAfter(
  moment: Moment,
  plan: ContentTypePlan,
  { selection, filter, projection }: SyncedRead,
  { after, limit }: { readonly after: string; readonly limit: number },
  take: (version: SyncedVersion) => boolean,
): Promise<void> {
  const which = matchAll([
    { _id: { $gt: after } },
    matchVersions(selection),
    filter === null ? {} : translateFilter(filter),
  ])
  return asCmsErrors(async () => {
    const found = versionsOf(moment.database, plan)
      .find(which, { ...optionsAt(moment), batchSize: limit + 1, projection, hint: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(limit)
    try {
      for await (const version of found) {
        if (!take(asVersion(version) as SyncedVersion)) return
      }
    } finally {
      await found.close()
    }
  })
}

export function readSynced(
  moment: Moment,
  plan: ContentTypePlan,
  { filter, projection }: Pick<SyncedRead, 'filter' | 'projection'>,
  ids: readonly string[],
): Promise<readonly SyncedVersion[]> {
  const which = matchAll([
    { _id: { $in: [...ids] } },
    filter === null ? {} : translateFilter(filter),
  ])
  return asCmsErrors(async () => {
    const found = await versionsOf(moment.database, plan)
      .find(which, { ...optionsAt(moment), batchSize: ids.length + 1, projection })
      .toArray()
    return found.map((version) => asVersion(version) as SyncedVersion)
  })
}
