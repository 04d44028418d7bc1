import { isDocumentId } from '../mongo/document-id.ts'
import { deleteVersions } from '../mongo/write-versions.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import type { DocumentContext } from './context.ts'

/**
 * Removes a document, or some of its locales: drafts and published versions alike, all or none. What
 * does not exist is removed already.
 */
export async function deleteDocument(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  documentId: string,
  locales: readonly (string | null)[] | 'all',
): Promise<void> {
  if (!isDocumentId(documentId)) return
  if (!plan.draftAndPublish && !plan.localized) {
    await deleteVersions(database, plan, documentId, locales)
    return
  }
  await database.transact((session) => deleteVersions(database, plan, documentId, locales, session))
}
