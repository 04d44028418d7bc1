import type { Document } from 'mongodb'
import { asCmsErrors } from '../connection/database-error.ts'
import { COMMITS } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { readHead } from './heads.ts'
import type { NumberedCommit } from './read-commits.ts'

/** Which commits; what is left out asks nothing. */
export interface AuditSelection {
  readonly byKind?: string
  /** Any of them. */
  readonly byIds?: readonly (string | number)[]
  readonly type?: string
  readonly documentId?: string
  readonly requestId?: string
  readonly since?: Date
  readonly until?: Date
}

export interface AuditPage {
  readonly commits: readonly NumberedCommit[]
  /** The number before which the next page begins; null where nothing earlier is kept. */
  readonly next: number | null
}

/** What one page looks through at most, whatever it finds. */
const WINDOW = 20_000

/**
 * Commits before a number, newest first. A page looks through a bounded part of the log, so it may be short, or empty,
 * while `next` says that there is more: what a rare author did long ago costs pages, never one long query.
 */
export async function findAudit(
  database: Database,
  selection: AuditSelection,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<AuditPage> {
  const head = await readHead(database)
  const end = Math.min(before ?? Infinity, head.seq + 1)
  const start = Math.max(end - WINDOW, 1)
  const commits = await asCmsErrors(() =>
    database
      .collection<NumberedCommit>(COMMITS)
      .find(
        { seq: { $gte: start, $lt: end }, ...conditionsOf(selection) },
        {
          maxTimeMS: database.queryTimeoutMs,
          batchSize: limit + 2,
        },
      )
      .sort({ seq: -1 })
      .limit(limit + 1)
      .toArray(),
  )
  const page = commits.slice(0, limit)
  if (commits.length > limit) return { commits: page, next: page.at(-1)?.seq ?? null }
  const isOver = start <= 1 || (selection.since !== undefined && reaches(page, selection.since))
  return { commits: page, next: isOver ? null : await nextBefore(database, start) }
}

/** Passes over what retention has removed, however much that is. */
async function nextBefore(database: Database, start: number): Promise<number | null> {
  const last = await asCmsErrors(() =>
    database
      .collection<NumberedCommit>(COMMITS)
      .find(
        { seq: { $gt: 0, $lt: start } },
        { maxTimeMS: database.queryTimeoutMs, projection: { seq: 1 } },
      )
      .sort({ seq: -1 })
      .limit(1)
      .next(),
  )
  return last === null ? null : last.seq + 1
}

/** Whether the page's last commit is so near to `since` that only what is earlier is left; never where it is empty. */
function reaches(page: readonly NumberedCommit[], since: Date): boolean {
  const last = page.at(-1)
  return last !== undefined && last.at <= since
}

function conditionsOf(selection: AuditSelection): Document {
  const { byKind, byIds, type, documentId, requestId, since, until } = selection
  const at = { ...(since && { $gte: since }), ...(until && { $lt: until }) }
  return {
    ...(byKind !== undefined && { 'by.kind': { $eq: byKind } }),
    ...(byIds !== undefined && { 'by.id': { $in: [...byIds] } }),
    ...(requestId !== undefined && { requestId: { $eq: requestId } }),
    ...(type !== undefined && { 'items.type': { $eq: type } }),
    ...(documentId !== undefined && { 'items.documentId': { $eq: documentId } }),
    ...(Object.keys(at).length > 0 && { at }),
  }
}
