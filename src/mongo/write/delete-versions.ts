import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { removeLostNotes } from '../trash/lost-notes.ts'
import { reserving } from './reservations.ts'
import { guardVersion, guardVersions } from './row-guard.ts'
import { assertLater, commitIdOf } from '../connection/commit-record.ts'
import { COMMIT, STATE_ALONE, STATE_FIELD } from '../versions/version-fields.ts'
import { deleteAdopted } from './adopted-versions.ts'
import { carryBefore } from './carried-members.ts'
import { noteRemoved, removalProjection } from './note-versions.ts'
import { keepDeleted, keepsDeleted } from '../trash/keep-deleted.ts'
import { isAdopted } from '../versions/adopted-expression.ts'
import { asRow, versionsOf } from '../versions/stored-version.ts'
import { matchDocument, versionId } from '../versions/version-match.ts'
import { takeDocuments } from '../sharing/write-turns.ts'

/** Deletes drafts and published versions. Returns the number of deleted versions. Content moves to the trash. */
export function deleteVersions(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  locales: readonly string[] | 'all',
  session: Session,
): Promise<number> {
  takeDocuments(plan, [documentId], session)
  if (isAdopted(plan)) return deleteAdopted(database, plan, documentId, session)
  const within = locales === 'all' ? {} : { locale: { $in: [...locales] } }
  const which = { ...matchDocument(documentId), ...within }
  const options = { session }
  return reserving(database, plan, [documentId], session, async () => {
    await guardVersions(database, plan, which, session)
    const before = await carryBefore(database, plan, which, session)
    const isKept = keepsDeleted(database, plan)
    const found = await versionsOf(database, plan)
      .find(which, { ...options, projection: isKept ? {} : removalProjection(plan) })
      .toArray()
    if (found.length === 0) return 0
    if (isKept) await keepDeleted(database, plan, found.map(asRow), session)
    const { deletedCount } = await versionsOf(database, plan).deleteMany(which, options)
    if (!isKept) await removeLostNotes(database, plan, [documentId], { session })
    noteRemoved(plan, found.map(asRow), deletedCount, session, before)
    return deletedCount
  })
}

/** The draft only gets this commit, so that a later publication has a later commit. */
export function deletePublished(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  locale: string,
  session: Session,
): Promise<void> {
  takeDocuments(plan, [documentId], session)
  const options = { session }
  return reserving(database, plan, [documentId], session, async () => {
    const _id = versionId(documentId, { locale, status: 'published' })
    await guardVersion(database, plan, _id, session)
    const before = await carryBefore(database, plan, { _id }, session)
    const removed = await versionsOf(database, plan).findOneAndDelete(
      { _id },
      { ...options, projection: removalProjection(plan) },
    )
    if (removed === null) return
    noteRemoved(plan, [asRow(removed)], 1, session, before)
    const draft = await versionsOf(database, plan).findOneAndUpdate(
      { _id: versionId(documentId, { locale, status: 'draft' }) },
      { $max: { [COMMIT]: commitIdOf(session), [STATE_FIELD]: STATE_ALONE } },
      { ...options, returnDocument: 'after', projection: { [COMMIT]: 1 } },
    )
    assertLater(session, draft?.[COMMIT])
  })
}
