import { EXTENSION_DELIVERIES } from '../../changes/extensions/delivery-rows.ts'
import { DELIVERIES } from '../../changes/webhooks/delivery.ts'
import { WEBHOOKS } from '../../changes/webhooks/webhook.ts'
import { RELEASES } from '../../content/planning/release-rows.ts'
import { SCHEDULES } from '../../content/planning/schedule-rows.ts'
import { COMMITS } from '../../mongo/connection/commit-record.ts'
import { IDEMPOTENCY_KEYS } from '../../mongo/system/idempotency-records.ts'
import { COMMENT_ROWS } from '../../mongo/trash/entry-comments.ts'
import { reviewId, type ReviewedLine } from '../../mongo/trash/entry-reviews.ts'
import {
  DELETIONS,
  type TrashedVersion,
  TRASHED_VERSIONS,
  trashedVersionId,
} from '../../mongo/trash/trash-rows.ts'
import { REVIEW_ROWS } from '../../mongo/versions/version-fields.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import type { Status } from '../../query/query.ts'
import {
  RECENT_WORK,
  recentWorkId,
  type RecentRow,
} from '../../people/administrators/recent-work.ts'
import { ADMINISTRATOR_ROLES } from '../../people/administrators/rows.ts'
import type { Rewrite, StoredRow } from '../../mongo/conversions/rewrite-rows.ts'
import { type LocaleCodes, replaceCode } from '../../mongo/conversions/replace-code.ts'

/** The rows of a collection that contain the code of a locale. */
export interface RenamedRows {
  readonly collection: string
  /** The paths of the code (`replaceCode`). */
  readonly paths: readonly string[]
  /** Changes the other members that depend on the code, such as the `_id`. */
  readonly complete?: (row: StoredRow) => StoredRow
}

/** Rows of content-types. Their `_id` contains the code. */
export function renamedVersions(collection: string): RenamedRows {
  return { collection, paths: ['locale'], complete: withVersionId }
}

export const RENAMED_ROWS: readonly RenamedRows[] = [
  { collection: DELETIONS, paths: ['locales.*'] },
  {
    collection: TRASHED_VERSIONS,
    paths: ['locale', 'version.locale'],
    complete: (row) => {
      const { deletion, version, ...key } = row as TrashedVersion & StoredRow
      return {
        ...row,
        _id: trashedVersionId(deletion, key),
        version: withVersionId(version as StoredRow),
      }
    },
  },
  {
    collection: COMMITS,
    paths: [
      'items.*.locale',
      'items.*.was.locale',
      'items.*.is.locale',
      'versions.*.locale',
      'versions.*.content.locale',
      'versions.*.differs.locale',
    ],
  },
  { collection: COMMENT_ROWS, paths: ['locale'] },
  {
    collection: REVIEW_ROWS,
    paths: ['locale'],
    complete: (row) => ({ ...row, _id: reviewId(row as ReviewedLine & StoredRow) }),
  },
  { collection: SCHEDULES, paths: ['locales.*'] },
  { collection: RELEASES, paths: ['items.*.locale'] },
  { collection: ADMINISTRATOR_ROLES, paths: ['permissions.*.locales.*'] },
  {
    collection: RECENT_WORK,
    paths: ['locale'],
    complete: (row) => ({ ...row, _id: recentWorkId(row as RecentRow & StoredRow) }),
  },
  { collection: WEBHOOKS, paths: ['locales.*'] },
  { collection: DELIVERIES, paths: ['locale'] },
  { collection: EXTENSION_DELIVERIES, paths: ['pending.*.changes.*.locale'] },
  { collection: IDEMPOTENCY_KEYS, paths: ['version.locale'] },
]

function withVersionId(row: StoredRow): StoredRow {
  const { documentId, locale, status } = row as VersionName
  return '_id' in row ? { ...row, _id: versionId(documentId, { locale, status }) } : row
}

interface VersionName extends StoredRow {
  readonly documentId: string
  readonly locale: string
  readonly status: Status
}

/** Matches the rows with this code. */
export function holdingCode({ paths }: RenamedRows, code: string): Rewrite['filter'] {
  return { $or: paths.map((path) => ({ [path.replaceAll('.*', '')]: code })) }
}

/** Returns the row itself if it has no such code. */
export function withCode(
  { paths, complete = (row) => row }: RenamedRows,
  row: StoredRow,
  codes: LocaleCodes,
): StoredRow {
  let changed: unknown = row
  for (const path of paths) changed = replaceCode(changed, path, codes)
  return changed === row ? row : complete(changed as StoredRow)
}
