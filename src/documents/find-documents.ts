import type { Database } from '../mongo/database.ts'
import {
  countVersions,
  findVersions,
  getVersion,
  type VersionRead,
} from '../mongo/read-versions.ts'
import { toCursor } from '../query/cursor.ts'
import type { Query, VersionKey } from '../query/query.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import { type Entry, toEntry } from './to-entry.ts'

export interface FoundDocuments {
  readonly entries: readonly Entry[]
  /** Null when the request asked for no count. */
  readonly total: number | null
  /** Of a page by cursor: where the next one begins; null on the last. */
  readonly nextCursor: string | null
}

/** One page of a list: one find and, in parallel, one count, whatever is asked for. */
export async function findDocuments(database: Database, query: Query): Promise<FoundDocuments> {
  const [found, total] = await Promise.all([
    findVersions(database, query),
    query.page.withCount ? countVersions(database, query) : null,
  ])
  const { page, sort, plan, fields } = query
  const versions = page.kind === 'cursor' ? found.slice(0, page.pageSize) : found
  const last = found.length > versions.length ? versions.at(-1) : undefined
  return {
    entries: versions.map((version) => toEntry(version, plan, fields)),
    total,
    nextCursor:
      last === undefined
        ? null
        : toCursor(
            sort,
            sort.map(({ attribute }) => last[attribute.name] ?? null),
          ),
  }
}

/** One version of one document; null when there is none, or it does not meet the conditions. */
export async function findDocument(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  key: VersionKey,
  read: VersionRead,
): Promise<Entry | null> {
  const version = await getVersion(database, plan, documentId, key, read)
  return version === null ? null : toEntry(version, plan, read.fields)
}
