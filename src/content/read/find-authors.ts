import type { Database } from '../../mongo/connection/database.ts'
import {
  type StoredVersion,
  type VersionAuthor,
  versionsOf,
} from '../../mongo/versions/stored-version.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import type { Status } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { StateOfLocale } from './find-states.ts'

/** Null for writers without an id, and for versions from before authors were stored. */
export interface VersionAuthors {
  readonly createdBy: VersionAuthor | null
  readonly updatedBy: VersionAuthor | null
}

/** In the order of the lines. Null for lines without a version. Runs one query. */
export async function findAuthors(
  database: Database,
  plan: ContentTypePlan,
  status: Status,
  lines: readonly Omit<StateOfLocale, 'state'>[],
): Promise<readonly (VersionAuthors | null)[]> {
  if (lines.length === 0) return []
  const ids = lines.map(({ documentId, locale }) => versionId(documentId, { locale, status }))
  const rows = await versionsOf(database, plan)
    .find({ _id: { $in: ids } }, { projection: { createdBy: 1, updatedBy: 1 } })
    .toArray()
  const authors = new Map(rows.map((row) => [row._id, authorsOf(row as unknown as StoredVersion)]))
  return ids.map((id) => authors.get(id) ?? null)
}

function authorsOf({ createdBy, updatedBy }: Partial<StoredVersion>): VersionAuthors {
  return { createdBy: createdBy ?? null, updatedBy: updatedBy ?? null }
}
