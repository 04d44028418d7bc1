import { contentAction } from '../../people/access/actions.ts'
import { mayUnderRule } from '../../people/access/ruled-reads.ts'
import { findDocument } from '../../content/read/find-documents.ts'
import { findEntries } from '../../content/read/find-entries.ts'
import { NotFoundError } from '../../base/errors.ts'
import { parseEntryQuery, parseQuery } from '../../query/parse-query.ts'
import { parseReadKey } from '../../query/parse-version.ts'
import type { Data } from '../../schema/definition.ts'
import { listEnvelope } from '../answer/envelope.ts'
import { assertMayRead, readFrom } from '../reads/content-reads.ts'
import { rulesOf } from '../reads/query-rules.ts'
import { documentIdArgument, queryOf, type ToolCall } from './arguments.ts'

const READ_PARAMETERS = ['fields', 'populate', 'locale', 'publicationFilter'] as const

export async function find(call: ToolCall): Promise<object> {
  const { ctx, plan, args, locales, dependencies } = call
  const names = [...READ_PARAMETERS, 'filters', 'sort', 'search', 'rank']
  const { search, rank, ...asked } = queryOf(args, names)
  const query = {
    ...asked,
    ...(search !== undefined && { _q: search }),
    ...(rank !== undefined && { search: rank }),
    pagination: queryOf(args, ['page', 'pageSize']),
    status: statusOf(call),
  }
  const parsed = parseQuery(query, plan, rulesOf(ctx, dependencies, locales))
  assertMayRead(ctx, plan, parsed.version.status)
  const found = await findEntries(readFrom(ctx, dependencies.documents), parsed)
  return listEnvelope(found, parsed.page)
}

export async function get(call: ToolCall): Promise<object> {
  const { ctx, plan, args, locales, dependencies } = call
  const query: Data = { ...queryOf(args, READ_PARAMETERS), status: statusOf(call) }
  const key = parseReadKey(query, plan, locales)
  if (key !== null) assertMayRead(ctx, plan, key.status)
  const read = parseEntryQuery(query, plan, rulesOf(ctx, dependencies, locales))
  const documentId = documentIdArgument(call)
  const database = readFrom(ctx, dependencies.documents)
  const found = key === null ? null : await findDocument(database, documentId, key, read)
  if (found === null) throw new NotFoundError('Not Found')
  return { data: found.entry, revision: found.revision }
}

/** Defaults to drafts for principals that may read them. */
function statusOf({ ctx, plan, args }: ToolCall): unknown {
  if (args['status'] !== undefined) return args['status']
  const mayReadDrafts = mayUnderRule(ctx.state.principal, contentAction(plan, 'readDrafts'))
  return plan.draftAndPublish && mayReadDrafts ? 'draft' : 'published'
}
