import { boundedReads } from '../../mongo/connection/time-limits.ts'
import { valueName } from '../../schema/alias.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { isIdOf } from '../../mongo/versions/document-id.ts'
import type { Counted } from '../../mongo/read/count-versions.ts'
import { findPage, getVersion } from '../../mongo/read/read-versions.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { toCursor } from '../../query/cursor.ts'
import type { EntryQuery, Page, Query, SortKey, Status, VersionKey } from '../../query/query.ts'
import { addTranslations } from './localized-files.ts'
import { fillLinks } from './fill-links.ts'
import { populate } from './populate.ts'
import { type Entry, type PopulateContext, signFiles, toVersionRow } from './row.ts'

export interface FoundDocuments extends Counted {
  readonly entries: readonly Entry[]
  /** Null on the last page, and for pages without cursors. */
  readonly nextCursor: string | null
}

/** A query without a text search and without an order by distance. */
export type ListedQuery = Query & { readonly search?: never; readonly nearest?: never }

export interface ShownVersion {
  readonly entry: Entry
  readonly revision: string
}

/** Documents that only other services write have no revision. */
export interface FoundVersion extends Pick<ShownVersion, 'entry'> {
  readonly revision: string | null
}

export async function findDocuments(
  database: Database,
  query: ListedQuery,
): Promise<FoundDocuments> {
  const bounded = boundedReads(database)
  const { versions: found, total, notes } = await findPage(bounded, query)
  const { page, sort } = query
  const { shown, last } = cutPage(found, page)
  return {
    entries: await showWithin(bounded, shown, query.version.status, query),
    total,
    notes,
    nextCursor: last === undefined ? null : cursorAfter(last, sort),
  }
}

/** Cuts the additional row of a cursor page. `last` is undefined on the last page. */
export function cutPage<Version>(found: readonly Version[], page: Page) {
  const shown = page.kind === 'cursor' ? found.slice(0, page.pageSize) : found
  return { shown, last: found.length > shown.length ? shown.at(-1) : undefined }
}

export function cursorAfter(version: StoredVersion, sort: readonly SortKey[]): string {
  const values = sort.map(({ attribute }) => version[valueName(attribute)] ?? null)
  return toCursor(sort, values)
}

export async function findDocument(
  database: Database,
  documentId: string,
  key: VersionKey,
  query: EntryQuery,
): Promise<FoundVersion | null> {
  if (!isIdOf(query.plan, documentId)) return null
  const bounded = boundedReads(database)
  const version = await getVersion(bounded, documentId, key, query)
  if (version === null) return null
  const [entry = {}] = await showWithin(bounded, [version], key.status, query)
  const { adopted } = query.plan
  const hasRevision = adopted === undefined || adopted.isWritable
  return { entry, revision: hasRevision ? revisionOf(version) : null }
}

export async function showVersion(
  database: Database,
  version: StoredVersion,
  status: Status,
  query: EntryQuery,
): Promise<ShownVersion> {
  const [entry = {}] = await showVersions(database, [version], status, query)
  return { entry, revision: revisionOf(version) }
}

export function showVersions(
  database: Database,
  versions: readonly StoredVersion[],
  status: Status,
  query: EntryQuery,
): Promise<readonly Entry[]> {
  return showWithin(boundedReads(database), versions, status, query)
}

/** `showVersions` within the time limit of earlier reads (`boundedReads`). */
export async function showWithin(
  database: Database,
  versions: readonly StoredVersion[],
  status: Status,
  query: EntryQuery,
): Promise<readonly Entry[]> {
  const { plan } = query
  const { format } = query.reader
  const view = { status, format, times: 1 }
  const rows = versions.map((version) => toVersionRow(version, plan, query, view))
  addTranslations(plan, rows, query)
  await signFiles(plan, rows, query.reader)
  const context: PopulateContext = { database, reader: query.reader, links: [] }
  await populate(context, rows, query.populate)
  await fillLinks(context)
  return rows.map(({ entry }) => entry)
}
