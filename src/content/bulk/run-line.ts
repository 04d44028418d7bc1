import type { Session } from '../../mongo/connection/database.ts'
import { lockDocument } from '../../mongo/write/lock-document.ts'
import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import { deleteVersions } from '../../mongo/write/delete-versions.ts'
import type { DocumentContext } from '../context.ts'
import { missingUids } from '../payload/fill-uids.ts'
import { createVersions, prepareNew } from '../write/create-versions.ts'
import { retryMadeUids } from '../write/retry-made-uids.ts'
import { checkUpdate, updateVersions } from '../write/update-versions.ts'
import { documentPayload, readView } from './batch-view.ts'
import type { BulkLine, DeleteLine, UpsertLine } from './bulk-line.ts'
import type { BulkWriter } from './bulk-writer.ts'
import { assertMayAsk, assertMayUpsert, locateDocument, targetOf } from './locate-document.ts'
import { isUnchanged } from './unchanged.ts'

export interface Done {
  readonly result: 'created' | 'updated' | 'unchanged' | 'deleted'
  readonly documentId: string | null
}

export function runLine(
  context: DocumentContext,
  line: BulkLine,
  writer: BulkWriter,
): Promise<Done> {
  const made = line.op === 'upsert' ? missingUids(line.plan, line.data, 'required') : []
  return retryMadeUids(
    made.map(({ attribute }) => attribute.name),
    () =>
      retryCollisions(() =>
        context.database.transact(
          (session) => runInside(context, line, writer, session),
          writer.origin,
        ),
      ),
  )
}

/** Executes a line within a transaction. @throws CmsError, and driver errors for its retry rules */
export async function runInside(
  context: DocumentContext,
  line: BulkLine,
  writer: BulkWriter,
  session: Session,
): Promise<Done> {
  assertMayAsk(writer, line)
  const view = await readView(context, [line], writer, { session })
  const located = locateDocument(context, view, line)
  if (line.op === 'delete') {
    return located.versions.length === 0
      ? {
          result: 'unchanged',
          documentId: 'documentId' in line.address ? located.documentId : null,
        }
      : remove(context, line, located.documentId, session)
  }
  assertMayUpsert(writer, line, located)
  const inside = { ...context, targets: view.targets }
  const target = targetOf(line, located.documentId, writer)
  const data = documentPayload(line, view, writer)
  return located.versions.length === 0
    ? create(inside, target, data, session)
    : update(inside, target, { data, versions: located.versions }, session)
}

async function create(
  context: DocumentContext,
  target: ReturnType<typeof targetOf>,
  data: UpsertLine['data'],
  session: Session,
): Promise<Done> {
  const prepared = await prepareNew(context, target, data, session)
  await createVersions(context, target, prepared, session)
  return { result: 'created', documentId: target.documentId }
}

async function update(
  context: DocumentContext,
  target: ReturnType<typeof targetOf>,
  {
    data,
    versions,
  }: Pick<UpsertLine, 'data'> & Pick<ReturnType<typeof locateDocument>, 'versions'>,
  session: Session,
): Promise<Done> {
  const { plan, key, documentId } = target
  const checked = await checkUpdate(context, target, data)
  if (isUnchanged(plan, key, checked.prepared, versions)) return { result: 'unchanged', documentId }
  await updateVersions(context, target, checked, session)
  return { result: 'updated', documentId }
}

async function remove(
  { database }: DocumentContext,
  { plan, locales }: DeleteLine,
  documentId: string,
  session: Session,
): Promise<Done> {
  if (plan.localized) await lockDocument(database, plan, documentId, session)
  const count = await deleteVersions(database, plan, documentId, locales, session)
  return { result: count > 0 ? 'deleted' : 'unchanged', documentId }
}
