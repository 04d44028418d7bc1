import { BSON, type Document } from 'mongodb'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { COMMITS, type PendingRow } from '../connection/commit-record.ts'
import { HISTORY_PREFIX } from '../connection/history-rows.ts'
import type { Database } from '../connection/database.ts'
import { asVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { BULK_TIMEOUT_MS } from './get-versions.ts'

const PAGE = 500
const { EJSON } = BSON

/** Yields every version in batches by `_id`. The batches are not from one snapshot. */
export async function* dumpVersions(
  database: Database,
  plan: ContentTypePlan,
): AsyncGenerator<readonly StoredVersion[]> {
  let last = ''
  for (;;) {
    const after = last
    const rows = await versionsOf(database, plan)
      .find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit: PAGE, maxTimeMS: BULK_TIMEOUT_MS })
      .toArray()
    yield rows.map((row) => asVersion(plan, row))
    last = rows.at(-1)?._id ?? last
    if (rows.length < PAGE) return
  }
}

/** Canonical Extended JSON: `fromText` restores the same row, including number types. */
export function toText(row: Document): string {
  return EJSON.stringify(row, { relaxed: false })
}

export function fromText(text: string): Document {
  return EJSON.parse(text, { relaxed: true, useBigInt64: true }) as Document
}

export interface RecentCommits {
  readonly ids: ReadonlySet<string>
  readonly items: readonly { readonly type: string; readonly documentId: string }[]
  /** A write outside of a transaction is pending. Its data may or may not be stored. */
  readonly isOpen: boolean
}

export async function readRecentCommits(
  database: Database,
  since: Date,
  known: ReadonlySet<string>,
): Promise<RecentCommits> {
  const from = since.getTime().toString(16).padStart(12, '0')
  const rows = await database
    .table<PendingRow & { readonly intent?: 1 }>(COMMITS)
    .find(
      { _id: { $gte: from, $lt: HISTORY_PREFIX } },
      {
        projection: { intent: 1, 'items.type': 1, 'items.documentId': 1 },
        maxTimeMS: BULK_TIMEOUT_MS,
      },
    )
    .toArray()
  return {
    ids: new Set(rows.map(({ _id }) => _id)),
    items: rows.filter(({ _id }) => !known.has(_id)).flatMap(({ items }) => items),
    isOpen: rows.some(({ intent }) => intent === 1),
  }
}
