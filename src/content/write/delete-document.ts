import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import { lockDocument } from '../../mongo/write/lock-document.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { takeDocuments } from '../../mongo/write/take-turns.ts'
import { writeDocument } from '../../mongo/write/write-path.ts'
import { deleteVersions } from '../../mongo/write/delete-versions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import type { WriteCondition } from '../write-target.ts'
import { assertCondition, missingVersion } from './write-condition.ts'

export interface DeletionRequest {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly locales: readonly string[] | 'all'
  readonly origin: WriteOrigin
  /** Applies to each locale. */
  readonly condition?: WriteCondition | undefined
}

/** Runs in one transaction. Missing documents are ignored. @throws PreconditionFailedError */
export async function deleteDocument(
  context: DocumentContext,
  request: DeletionRequest,
): Promise<void> {
  const { database } = context
  const { plan, documentId, locales, origin, condition } = request
  if (!isDocumentId(documentId)) {
    if (condition !== undefined && condition.match !== null) throw missingVersion()
    return
  }
  const write = async (session: Session): Promise<void> => {
    takeDocuments(plan, [documentId], session)
    if (plan.localized) await lockDocument(database, plan, documentId, session)
    if (condition !== undefined) await assertAll(context, request, condition, session)
    await deleteVersions(database, plan, documentId, locales, session)
  }
  await writeDocument(database, { plan, documentId, origin, changes: null, write })
}

async function assertAll(
  context: DocumentContext,
  { plan, documentId, locales }: DeletionRequest,
  condition: WriteCondition,
  session: Session,
): Promise<void> {
  const versions = await getAllVersions(context.database, plan, documentId, session)
  const stored = new Set(versions.map(({ locale }) => locale))
  const removed = [...stored].filter((locale) => locales === 'all' || locales.includes(locale))
  if (removed.length === 0 && condition.match !== null) throw missingVersion()
  for (const locale of removed) {
    await assertCondition(context, { plan, documentId, locale }, condition, session)
  }
}
