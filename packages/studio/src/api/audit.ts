import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Author } from './history.ts'
import { request, type QueryValue } from './request.ts'

export interface AuditItem {
  readonly type: string
  readonly documentId: string
  readonly locale?: string
  readonly status: 'draft' | 'published'
  readonly op: 'put' | 'delete'
  readonly isNew?: true
  /** Null if the entry is deleted or the user may not read it. */
  readonly name: string | null
}

export interface AuditRow {
  readonly seq: number
  readonly at: string
  readonly by: Author
  readonly requestId: string | null
  readonly items: readonly AuditItem[]
}

export interface AuditFilter {
  readonly type?: string
  readonly by?: { readonly kind?: string; readonly id?: string }
  /** Days such as `2026-01-31`; `until` is inclusive. */
  readonly since?: string
  readonly until?: string
}

interface PageMeta {
  readonly pagination: { readonly nextCursor: number | null }
}

const AUDIT_PAGE_SIZE = 50

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ signal, pageParam }) => page(filter, pageParam, AUDIT_PAGE_SIZE, signal),
    initialPageParam: null as number | null,
    getNextPageParam: ({ meta }) => meta.pagination.nextCursor,
  })

const EXPORT_PAGE_SIZE = 500
const MAX_EXPORTED_ROWS = 100_000

/** Returns at most 100,000 rows as lines of JSON, newest first. @throws ApiError */
export async function exportAudit(filter: AuditFilter): Promise<string> {
  const lines: string[] = []
  let cursor: number | null = null
  do {
    const { data, meta } = await page(filter, cursor, EXPORT_PAGE_SIZE)
    lines.push(...data.map((row) => `${JSON.stringify(row)}\n`))
    cursor = meta.pagination.nextCursor
  } while (cursor !== null && lines.length < MAX_EXPORTED_ROWS)
  return lines.join('')
}

function page(filter: AuditFilter, cursor: number | null, pageSize: number, signal?: AbortSignal) {
  const pagination = { pageSize, ...(cursor !== null && { cursor }) }
  return request<readonly AuditRow[], PageMeta>('GET', '/admin/audit', {
    query: { ...asked(filter), names: true, pagination },
    signal,
  })
}

function asked({ type, by, since, until }: AuditFilter): Readonly<Record<string, QueryValue>> {
  return {
    ...(type !== undefined && { type }),
    ...(by !== undefined && { by: { ...by } }),
    ...(since !== undefined && { since: startOf(since, 0) }),
    ...(until !== undefined && { until: startOf(until, 1) }),
  }
}

function startOf(day: string, later: number): string {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + later)
  return date.toISOString()
}
