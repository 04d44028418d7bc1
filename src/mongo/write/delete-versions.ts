import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { reserving } from './reservations.ts'
import { assertLater, commitIdOf } from '../connection/commit-record.ts'
import { STATE_ALONE, STATE_FIELD } from '../versions/stored-state.ts'
import { COMMIT } from '../versions/revision.ts'
import { noteRemoved, removalProjection } from './note-versions.ts'
import { keepDeleted, keepsDeleted } from '../trash/keep-deleted.ts'
import { asVersion, versionsOf } from '../versions/stored-version.ts'
import { matchDocument, versionId } from '../versions/version-match.ts'
import { takeDocuments } from './take-turns.ts'
import { optionsOf } from '../connection/commands.ts'

/**
 * Deletes drafts and published versions. Returns the number of deleted versions. Content moves to
 * the trash.
 */
export function deleteVersions(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  locales: readonly string[] | 'all',
  session: Session,
): Promise<number> {
  takeDocuments(plan, [documentId], session)
  const within = locales === 'all' ? {} : { locale: { $in: [...locales] } }
  const which = { ...matchDocument(documentId), ...within }
  const options = optionsOf(database, session)
  return reserving(database, plan, [documentId], session, async () => {
    const isKept = keepsDeleted(database, plan)
    const found = await versionsOf(database, plan)
      .find(which, { ...options, projection: isKept ? {} : removalProjection(plan) })
      .toArray()
    if (found.length === 0) return 0
    if (isKept) await keepDeleted(database, plan, found.map(asVersion), session)
    const { deletedCount } = await versionsOf(database, plan).deleteMany(which, options)
    noteRemoved(plan, found.map(asVersion), deletedCount, session)
    return deletedCount
  })
}

/**
 * Deletes the published version of one locale. The draft only gets this commit, so that a later
 * publication has a later commit.
 */
export function deletePublished(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  locale: string,
  session: Session,
): Promise<void> {
  takeDocuments(plan, [documentId], session)
  const options = optionsOf(database, session)
  return reserving(database, plan, [documentId], session, async () => {
    const removed = await versionsOf(database, plan).findOneAndDelete(
      { _id: versionId(documentId, { locale, status: 'published' }) },
      { ...options, projection: removalProjection(plan) },
    )
    if (removed === null) return
    noteRemoved(plan, [asVersion(removed)], 1, session)
    const draft = await versionsOf(database, plan).findOneAndUpdate(
      { _id: versionId(documentId, { locale, status: 'draft' }) },
      { $max: { [COMMIT]: commitIdOf(session), [STATE_FIELD]: STATE_ALONE } },
      { ...options, returnDocument: 'after', projection: { [COMMIT]: 1 } },
    )
    assertLater(session, draft?.[COMMIT])
  })
}
