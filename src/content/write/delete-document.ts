import type { Session } from '../../mongo/connection/database.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import { lockDocument } from '../../mongo/write/lock-document.ts'
import { getAllVersions } from '../../mongo/read/read-versions.ts'
import { takeDocuments } from '../../mongo/write/take-turns.ts'
import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import { deleteVersions } from '../../mongo/write/delete-versions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import type { WriteCondition } from '../write-target.ts'
import { assertCondition, missingVersion } from './write-condition.ts'

type DeletedLocales = readonly string[] | 'all'

/**
 * Deletes the locales in one transaction and ignores missing documents. The condition applies to each locale.
 * @throws PreconditionFailedError
 */
export async function deleteDocument(
  context: DocumentContext,
  plan: ContentTypePlan,
  documentId: string,
  locales: DeletedLocales,
  condition?: WriteCondition,
): Promise<void> {
  const { database } = context
  if (!isDocumentId(documentId)) {
    if (condition !== undefined && condition.match !== null) throw missingVersion()
    return
  }
  await retryCollisions(() =>
    database.transact(async (session) => {
      takeDocuments(plan, [documentId], session)
      if (plan.localized) await lockDocument(database, plan, documentId, session)
      if (condition !== undefined) {
        await assertAll(context, { plan, documentId, locales }, condition, session)
      }
      await deleteVersions(database, plan, documentId, locales, session)
    }),
  )
}

async function assertAll(
  context: DocumentContext,
  {
    plan,
    documentId,
    locales,
  }: {
    readonly plan: ContentTypePlan
    readonly documentId: string
    readonly locales: DeletedLocales
  },
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
