import Joi from 'joi'
import { administratorAction } from '../../people/access/administrator-actions.ts'
import { readInput } from '../../people/access/input.ts'
import type { DocumentContext } from '../../content/context.ts'
import { type AuditRow, listAudit } from '../../content/history/find-audit.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { readQuery } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { adminRouter, type BeforeAdmin } from '../router/admin-router.ts'
import { type NameSources, namesOfChanged } from './request/names-of-changed.ts'

export interface AuditDependencies extends BeforeAdmin, NameSources {
  readonly documents: DocumentContext
}

interface AuditQuery {
  readonly by?: { readonly kind?: string; readonly id?: string }
  readonly type?: string
  readonly documentId?: string
  readonly requestId?: string
  readonly since?: Date
  readonly until?: Date
  readonly names: boolean
  readonly pagination: { readonly cursor?: number; readonly pageSize: number }
}

const text = (): Joi.StringSchema => Joi.string().max(200)

const QUERY = Joi.object<AuditQuery>({
  by: Joi.object({ kind: text(), id: text() }),
  type: text(),
  documentId: text(),
  requestId: text(),
  since: Joi.date().iso(),
  until: Joi.date().iso(),
  names: Joi.boolean().default(false),
  pagination: Joi.object({
    cursor: Joi.number().integer().min(1),
    pageSize: Joi.number().integer().min(1).max(500).default(100),
  }).default({ pageSize: 100 }),
}).prefs({ convert: true }) // query parameters are text

export function auditRoutes(dependencies: AuditDependencies): GuardedRouter {
  const { documents } = dependencies
  const admin = adminRouter('/admin/audit', dependencies)
  admin.get('/', administratorAction('admin::audit', 'read'), async (ctx) => {
    const { pagination, names, ...asked } = readInput(QUERY, readQuery(ctx.querystring))
    const { cursor = null, pageSize } = pagination
    const page = { before: cursor, limit: pageSize }
    const found = await listAudit(documents, selectionOf(asked), page)
    const { next } = found
    const rows = names ? await withNames(ctx, dependencies, found.rows) : found.rows
    if (ctx.accepts('json', 'application/x-ndjson') === 'application/x-ndjson') {
      ctx.type = 'application/x-ndjson'
      if (next !== null) ctx.set('Next-Cursor', String(next))
      ctx.body = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
      return
    }
    ctx.body = { data: rows, meta: { pagination: { pageSize, nextCursor: next } } }
  })
  return admin.router
}

async function withNames(
  { state: { principal } }: Context,
  sources: NameSources,
  rows: readonly AuditRow[],
): Promise<readonly object[]> {
  const items = rows.flatMap((row) => row.items)
  const nameOf = await namesOfChanged(principal, sources, items)
  return rows.map((row) => ({
    ...row,
    items: row.items.map((item) => ({ ...item, name: nameOf(item) })),
  }))
}

function selectionOf({
  by: { kind, id } = {},
  ...rest
}: Omit<AuditQuery, 'pagination' | 'names'>): Parameters<typeof listAudit>[1] {
  const isNumber = id !== undefined && /^\d{1,15}$/.test(id)
  return {
    ...rest,
    ...(kind !== undefined && { byKind: kind }),
    ...(id !== undefined && { byIds: isNumber ? [id, Number(id)] : [id] }),
  }
}
