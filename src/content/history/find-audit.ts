import { type AuditSelection, findAudit } from '../../mongo/commits/read-audit.ts'
import type { NumberedCommit } from '../../mongo/commits/read-commits.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { DocumentContext } from '../context.ts'

export interface AuditRow {
  readonly seq: number
  readonly at: Date
  readonly by: NumberedCommit['by']
  readonly requestId: string | null
  readonly items: readonly AuditItem[]
}

export interface AuditItem {
  readonly type: string
  readonly documentId: string
  readonly locale?: string
  readonly status: string
  readonly op: string
  readonly revision: string | null
  readonly isNew?: true
}

export interface AuditRows {
  readonly rows: readonly AuditRow[]
  readonly next: number | null
}

/** Newest first. A page may be short or empty before the last one. */
export async function listAudit(
  { database }: DocumentContext,
  selection: AuditSelection,
  page: { readonly before: number | null; readonly limit: number },
): Promise<AuditRows> {
  const { commits, next } = await findAudit(database, selection, page)
  return { rows: commits.map(toRow), next }
}

function toRow({ seq, at, by, requestId, items }: NumberedCommit): AuditRow {
  return { seq, at, by, requestId, items: items.filter(({ lost }) => lost !== true).map(toItem) }
}

function toItem({
  type,
  documentId,
  locale,
  status,
  op,
  revision,
  isNew,
}: NumberedCommit['items'][number]): AuditItem {
  const own = locale === NO_LOCALE ? {} : { locale }
  return { type, documentId, ...own, status, op, revision, ...(isNew && { isNew }) }
}
