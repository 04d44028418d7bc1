import { createDocument } from '../../content/write/create-document.ts'
import { deleteDocument } from '../../content/write/delete-document.ts'
import { showVersion, showVersions } from '../../content/read/find-documents.ts'
import { updateDocument } from '../../content/write/update-document.ts'
import { parseEntryQuery } from '../../query/parse-query.ts'
import {
  parseActionLocales,
  parseDeletedLocales,
  parseWriteKey,
} from '../../query/parse-version.ts'
import type { EntryQuery, Status } from '../../query/query.ts'
import { readOriginOf, rulesOf, writerOf } from '../reads/query-rules.ts'
import { VERSION_ACTIONS, type VersionAction } from '../content/handlers.ts'
import {
  conditionOf,
  dataArgument,
  documentIdArgument,
  flagOf,
  queryOf,
  type ToolCall,
} from './arguments.ts'

/** The response contains only the documentId and the revision, because the agent knows the data. */
const NAMED = { fields: 'documentId' }

export async function createTool(call: ToolCall): Promise<object> {
  const { documents } = call.dependencies
  const { key, shown, writer, origin } = targetOf(call)
  const documentId = documents.newDocumentId()
  const target = { plan: call.plan, documentId, key, writer, origin }
  const version = await createDocument(documents, target, dataArgument(call), null)
  return showWritten(call, version, key.status, shown)
}

/** @throws PreconditionFailedError if another write came after `revision` */
export async function updateTool(call: ToolCall): Promise<object> {
  const { key, shown, writer, origin } = targetOf(call)
  const target = {
    plan: call.plan,
    documentId: documentIdArgument(call),
    key,
    writer,
    origin,
    condition: conditionOf(call),
  }
  const version = await updateDocument(call.dependencies.documents, target, dataArgument(call))
  return showWritten(call, version, key.status, shown)
}

export async function actionTool(
  call: ToolCall,
  { run, answered }: VersionAction,
): Promise<object> {
  const { ctx, plan, locales: rules, dependencies } = call
  const { documents } = dependencies
  const query = queryOf(call.args, ['locale'])
  const locales = parseActionLocales(query, plan, rules)
  const asked = { ...query, ...NAMED, status: answered }
  const shown = parseEntryQuery(asked, plan, rulesOf(ctx, dependencies, rules))
  const writer = writerOf(ctx, shown.reader)
  const target = {
    plan,
    documentId: documentIdArgument(call),
    locales,
    writer,
    origin: readOriginOf(ctx),
  }
  const versions = await run(documents, target)
  const [version] = versions
  if (locales.kind === 'one' && version !== undefined)
    return showWritten(call, version, answered, shown)
  return { data: await showVersions(documents.database, plan, versions, answered, shown) }
}

export function actionNamed(name: 'publish' | 'unpublish' | 'discard'): VersionAction {
  const action = VERSION_ACTIONS.find((one) => one.name === name)
  if (action === undefined) throw new Error(`there is no action ${name}`)
  return action
}

export async function deleteTool(call: ToolCall): Promise<object> {
  const { plan, locales, dependencies } = call
  await deleteDocument(dependencies.documents, {
    plan,
    documentId: documentIdArgument(call),
    locales: parseDeletedLocales(queryOf(call.args, ['locale']), plan, locales),
    origin: readOriginOf(call.ctx),
    condition: call.args['revision'] === undefined ? undefined : conditionOf(call),
  })
  return { deleted: true }
}

function targetOf(call: ToolCall) {
  const { ctx, plan, args, locales, dependencies } = call
  const status: Status = plan.draftAndPublish && !flagOf(call, 'publish') ? 'draft' : 'published'
  const query = { ...queryOf(args, ['locale']), ...NAMED, status }
  const key = parseWriteKey(query, undefined, plan, locales)
  const shown = parseEntryQuery(query, plan, rulesOf(ctx, dependencies, locales))
  return { key, shown, writer: writerOf(ctx, shown.reader), origin: readOriginOf(ctx) }
}

async function showWritten(
  { plan, dependencies }: ToolCall,
  version: Awaited<ReturnType<typeof createDocument>>,
  status: Status,
  shown: EntryQuery,
): Promise<object> {
  const { database } = dependencies.documents
  const { entry, revision } = await showVersion(database, plan, version, status, shown)
  return { data: entry, revision }
}
