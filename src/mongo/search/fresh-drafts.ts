import { beginTimeSlice } from '../../base/time-slice.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Analyzer } from '../../query/text/analyze-text.ts'
import { indexVersion } from '../../query/text/index-terms.ts'
import { writeTerms } from '../../query/text/postings.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { readSynced, type SyncedVersion } from '../read/read-synced.ts'
import { versionKeyOf } from '../versions/version-match.ts'
import { findIndexPosition, findLoggedSince } from './index-progress.ts'
import { recentId, type RecentVersionRow, textIndexId, toBinary } from './index-rows.ts'

/** A draft that waits for a pause in its writes. */
export interface PendingDraft {
  /** The uid of the content-type and the `_id` of the version. */
  readonly _id: string
  readonly type: string
  readonly version: string
  readonly dueAt: Date
}

export const pendingDraftsOf = (database: Database) =>
  database.table<PendingDraft>('quire_text_drafts')

/** If more drafts wait, for example during an import, a search finds them after they are indexed. */
const MAX_FRESH = 100

export interface SearchedVersions {
  readonly plan: ContentTypePlan
  readonly form: string
  /** The keys have one language. */
  readonly keys: readonly VersionKey[]
  readonly analyzer: Analyzer
}

/** Drafts that are not indexed yet, as rows of the index. Editors look for an entry right after they saved it. */
export async function readFreshDrafts(
  database: Database,
  { plan, form, keys, analyzer }: SearchedVersions,
): Promise<readonly RecentVersionRow[]> {
  const shown = new Set(keys.map((key) => textIndexId(plan, form, key)))
  const isShown = (_id: string): boolean => shown.has(textIndexId(plan, form, versionKeyOf(_id)))
  const ids = (await findWaiting(database, plan)).filter(isShown)
  if (ids.length === 0 || ids.length > MAX_FRESH) return []
  const read = { filter: null, condition: null, projection: projectionOf(plan) }
  const versions = await readSynced({ database, session: undefined }, plan, read, ids)
  const slice = beginTimeSlice()
  const rows: RecentVersionRow[] = []
  for (const version of versions) {
    const { _id, documentId } = version
    const own = { _id: recentId(plan, _id), type: plan.uid, form, seq: 0, documentId }
    rows.push({ ...own, ...indexFields({ plan, form, analyzer }, version) })
    if (slice.isOver()) await slice.next()
  }
  return rows
}

/** The versions that the follower has not read yet, and the drafts that wait for a pause. */
async function findWaiting(database: Database, plan: ContentTypePlan): Promise<readonly string[]> {
  // In this order, because drafts of read commits wait.
  const position = await findIndexPosition(database)
  const logged = position === null ? null : await findLoggedSince(database, plan.uid, position)
  const waiting = await pendingDraftsOf(database)
    .find({ _id: { $gte: `${plan.uid} `, $lt: `${plan.uid}!` } }, { batchSize: MAX_FRESH + 2 })
    .limit(MAX_FRESH + 1)
    .toArray()
  return [...new Set([...(logged ?? []), ...waiting.map(({ version }) => version)])]
}

/** The part of a row that depends on the content of the version. */
export function indexFields(
  { plan, form, analyzer }: Omit<SearchedVersions, 'keys'>,
  version: SyncedVersion,
) {
  const { id, locale, status, updatedAt } = version
  const { lengths: n, terms } = indexVersion(plan, version, analyzer)
  const index = textIndexId(plan, form, { locale, status })
  return { index, id, updatedAt, n, b: toBinary(writeTerms(terms)) }
}

export function projectionOf({ search }: ContentTypePlan): Readonly<Record<string, 1>> {
  const names = [
    ...(search?.weights.keys() ?? []),
    'locale',
    'status',
    'documentId',
    'id',
    'updatedAt',
  ]
  return Object.fromEntries(names.map((name) => [name, 1]))
}
