import { createDocument } from '../../content/write/create-document.ts'
import { deleteDocument } from '../../content/write/delete-document.ts'
import {
  showWrittenVersion,
  showWrittenVersions,
  type WrittenQuery,
} from '../../content/write/show-written.ts'
import type { Writer } from '../../content/write-target.ts'
import { updateDocument } from '../../content/write/update-document.ts'
import { parseEntryQuery } from '../../query/parse-query.ts'
import {
  parseActionLocales,
  parseDeletedLocales,
  parseWriteKey,
} from '../../query/parse-version.ts'
import type { Status } from '../../query/query.ts'
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
  const documentId = documents.newDocumentId(call.plan)
  const target = { plan: call.plan, documentId, key, writer, origin }
  const version = await createDocument(documents, target, dataArgument(call), null)
  return showWritten(call, writer, version, { verb: 'create', status: key.status, shown })
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
  return showWritten(call, writer, version, { verb: 'update', status: key.status, shown })
}

export async function actionTool(
  call: ToolCall,
  { run, answered, verb }: VersionAction,
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
  const written = { plan, verb, status: answered, shown }
  if (locales.kind === 'one' && version !== undefined)
    return showWritten(call, writer, version, written)
  return { data: await showWrittenVersions(documents, writer, versions, written) }
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
    writer: writerOf(call.ctx, { locale: locales.defaultCode }),
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
  writer: Writer,
  version: Awaited<ReturnType<typeof createDocument>>,
  written: Omit<WrittenQuery, 'plan'>,
): Promise<object> {
  const { documents } = dependencies
  const asked = { ...written, plan }
  const { entry, revision } = await showWrittenVersion(documents, writer, version, asked)
  return { data: entry, revision }
}
