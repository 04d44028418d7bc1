import type { Document } from 'mongodb'
import { COMMITS } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { readHead } from './heads.ts'
import type { NumberedCommit } from './read-commits.ts'

export interface AuditSelection {
  readonly byKind?: string
  readonly byIds?: readonly (string | number)[]
  readonly type?: string
  readonly documentId?: string
  readonly requestId?: string
  readonly since?: Date
  readonly until?: Date
}

export interface AuditPage {
  readonly commits: readonly NumberedCommit[]
  readonly next: number | null
}

const WINDOW = 20_000

/** A page scans a bounded part of the log, so it may be short or empty although `next` is set. */
export async function findAudit(
  database: Database,
  selection: AuditSelection,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<AuditPage> {
  const head = await readHead(database)
  const end = Math.min(before ?? Infinity, head.seq + 1)
  const start = Math.max(end - WINDOW, 1)
  const commits = await database
    .table<NumberedCommit>(COMMITS)
    .find(
      { seq: { $gte: start, $lt: end }, ...conditionsOf(selection) },
      {
        batchSize: limit + 2,
        projection: { 'items.was': 0, 'items.is': 0 },
      },
    )
    .sort({ seq: -1 })
    .limit(limit + 1)
    .toArray()
  const page = commits.slice(0, limit)
  if (commits.length > limit) return { commits: page, next: page.at(-1)?.seq ?? null }
  const isOver = start <= 1 || (selection.since !== undefined && reaches(page, selection.since))
  return { commits: page, next: isOver ? null : await nextBefore(database, start) }
}

async function nextBefore(database: Database, start: number): Promise<number | null> {
  const last = await database
    .table<NumberedCommit>(COMMITS)
    .findOne({ seq: { $gt: 0, $lt: start } }, { projection: { seq: 1 }, sort: { seq: -1 } })
  return last === null ? null : last.seq + 1
}

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
