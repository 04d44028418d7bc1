import { boundedReads } from '../../mongo/connection/bounded-reads.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import type { Counted } from '../../mongo/read/count-versions.ts'
import { findPage, getVersion } from '../../mongo/read/read-versions.ts'
import { revisionOf } from '../../mongo/versions/revision.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { toCursor } from '../../query/cursor.ts'
import type { EntryQuery, Query, SortKey, Status, VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { populate } from './populate.ts'
import { toVersionRow } from './row.ts'
import type { Entry } from './to-entry.ts'

export interface FoundDocuments extends Counted {
  readonly entries: readonly Entry[]
  /** Of a page by cursor: where the next one begins; null on the last. */
  readonly nextCursor: string | null
}

/** One entry, and the revision of the version that it shows (`mongo/revision.ts`). */
export interface ShownVersion {
  readonly entry: Entry
  readonly revision: string
}

/** One page of a list, with what is populated in it. */
export async function findDocuments(database: Database, query: Query): Promise<FoundDocuments> {
  const bounded = boundedReads(database)
  const { versions: found, total, notes } = await findPage(bounded, query)
  const { page, sort, plan } = query
  const versions = page.kind === 'cursor' ? found.slice(0, page.pageSize) : found
  const last = found.length > versions.length ? versions.at(-1) : undefined
  return {
    entries: await showWithin(bounded, plan, versions, query.version.status, query),
    total,
    notes,
    nextCursor: last === undefined ? null : cursorAfter(last, sort),
  }
}

function cursorAfter(version: StoredVersion, sort: readonly SortKey[]): string {
  const values = sort.map(({ attribute }) => version[attribute.name] ?? null)
  return toCursor(sort, values)
}

/** One version of one document; null when there is none, or it does not meet the conditions. */
export async function findDocument(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  key: VersionKey,
  query: EntryQuery,
): Promise<ShownVersion | null> {
  if (!isDocumentId(documentId)) return null
  const bounded = boundedReads(database)
  const version = await getVersion(bounded, plan, documentId, key, query)
  if (version === null) return null
  const [entry = {}] = await showWithin(bounded, plan, [version], key.status, query)
  return { entry, revision: revisionOf(version) }
}

/** A stored version as an answer shows it, with what is populated in it. */
export async function showVersion(
  database: Database,
  plan: ContentTypePlan,
  version: StoredVersion,
  status: Status,
  query: EntryQuery,
): Promise<ShownVersion> {
  const [entry = {}] = await showVersions(database, plan, [version], status, query)
  return { entry, revision: revisionOf(version) }
}

/** `showVersion` of several at once. */
export function showVersions(
  database: Database,
  plan: ContentTypePlan,
  versions: readonly StoredVersion[],
  status: Status,
  query: EntryQuery,
): Promise<readonly Entry[]> {
  return showWithin(boundedReads(database), plan, versions, status, query)
}

/** In the time that the answer has left. */
async function showWithin(
  database: Database,
  plan: ContentTypePlan,
  versions: readonly StoredVersion[],
  status: Status,
  query: EntryQuery,
): Promise<readonly Entry[]> {
  const { format } = query.reader
  const view = { status, format, times: 1 }
  const rows = versions.map((version) => toVersionRow(version, plan, query, view))
  await populate({ database, reader: query.reader }, rows, query.populate)
  return rows.map(({ entry }) => entry)
}
