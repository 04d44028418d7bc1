import { NotFoundError } from '../../base/errors.ts'
import { retryCollisions } from '../../mongo/write/write-path.ts'
import type { DocumentContext } from '../context.ts'
import { createDocument } from '../write/create-document.ts'
import { deleteDocument } from '../write/delete-document.ts'
import { isHiddenDocument } from '../write-rules.ts'
import { updateDocument } from '../write/update-document.ts'
import { documentPayload, readView } from './batch-view.ts'
import type { BulkLine, BulkWriter, DeleteLine, UpsertLine } from './bulk-line.ts'
import {
  assertMayAsk,
  assertMayUpsert,
  type Located,
  locateDocument,
  targetOf,
} from './decide-line.ts'
import type { Done } from './write-lines.ts'

/**
 * Runs a line like the request for its single document, under the rules of the writer. Never `unchanged`
 * for an upsert, because a comparison would confirm the values of hidden attributes. @throws CmsError
 */
export function runRuledLine(
  context: DocumentContext,
  line: BulkLine,
  writer: BulkWriter,
): Promise<Done> {
  return retryCollisions(async () => {
    assertMayAsk(writer, line)
    const view = await readView(context, [line], writer)
    const located = locateDocument(context, view, line)
    if (line.op === 'delete') return remove(context, line, located, writer)
    assertMayUpsert(writer, line, located)
    const { plan } = line
    const isNew = located.versions.length === 0 && plan.kind === 'collectionType'
    const documentId = isNew ? newIdOf(context, line) : located.documentId
    const target = { ...targetOf(line, documentId, writer), origin: writer.origin }
    const data = documentPayload(line, view, writer)
    if (isNew) await createDocument(context, target, data)
    else await updateDocument(context, target, data)
    return { result: isNew ? 'created' : 'updated', documentId }
  })
}

/**
 * Never an id that the caller names or that a key derives: it may be that of a deleted document, to which relations,
 * schedules and the trash still refer. @throws NotFoundError, as for a hidden document
 */
function newIdOf(context: DocumentContext, { plan, address }: UpsertLine): string {
  if ('documentId' in address) throw new NotFoundError('Not Found')
  return context.newDocumentId(plan)
}

async function remove(
  context: DocumentContext,
  { plan, locales, address, ownersLocale: locale }: DeleteLine,
  { documentId, versions }: Located,
  { rules, origin }: BulkWriter,
): Promise<Done> {
  const within = locales === 'all' ? undefined : locales
  const write = { plan, documentId, verb: 'delete', locale, locales: within } as const
  const addressed = versions.filter((version) => within?.includes(version.locale) ?? true)
  if (addressed.length === 0 || (await isHiddenDocument(context, rules, write))) {
    return { result: 'unchanged', documentId: 'documentId' in address ? documentId : null }
  }
  const writer = { locale, ...(rules !== undefined && { rules }) }
  await deleteDocument(context, { plan, documentId, locales, origin, writer })
  return { result: 'deleted', documentId }
}
