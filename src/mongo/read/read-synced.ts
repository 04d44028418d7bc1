import type { Document } from 'mongodb'
import { ValidationError } from '../../base/errors.ts'
import type { Filter, VersionSelection } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { optionsAt } from '../connection/time-limits.ts'
import type { Moment } from '../connection/database.ts'
import { storedPathOf } from '../../schema/stored-path.ts'
import { asVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { idOfText } from '../versions/adopted-rows.ts'
import { matchVersions, versionKeyOf } from '../versions/version-match.ts'
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
  const { position, sort } = orderOf(plan, after)
  const which = matchAll([
    position,
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
      sort,
      limit,
    })
    .take((version) => take(asVersion(plan, version) as SyncedVersion))
}

interface SyncOrder {
  readonly position: Document
  readonly sort: Record<string, 1>
}

/** Adopted documents have no ids of versions, so their own ids give the order. @throws ValidationError */
function orderOf(plan: ContentTypePlan, after: string): SyncOrder {
  if (plan.adopted === undefined) return { position: { _id: { $gt: after } }, sort: { _id: 1 } }
  const name = plan.adopted.idKind === 'number' ? 'id' : 'documentId'
  if (after === '') return { position: {}, sort: { [name]: 1 } }
  const { documentId } = versionKeyOf(after)
  const last = name === 'id' ? idOfText('number', documentId) : documentId
  if (last === undefined) throw new ValidationError('token: expected that of an earlier answer')
  return { position: { [name]: { $gt: last } }, sort: { [name]: 1 } }
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
