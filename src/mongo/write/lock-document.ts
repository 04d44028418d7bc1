import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { lockName } from '../system/lease.ts'
import { LOCK, newRevision } from '../versions/revision.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { matchDocument } from '../versions/version-match.ts'
import { optionsOf, inSession } from '../connection/commands.ts'

/**
 * Keeps every other writer of several versions of a document waiting until the transaction ends: all of
 * them write the same version first, that of the lowest `_id`, so that no two can wait for each other.
 * What a client sees of that version, and its revision, stay as they are. A single type has a documentId
 * before it has versions: two that begin it at once, in two locales, wait for each other as well.
 */
export async function lockDocument(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session: Session,
): Promise<void> {
  const isLocked = await lockFirst(database, plan, documentId, session)
  if (isLocked || plan.kind !== 'singleType') return
  await lockName(database, documentId, session)
  // Where a transaction sees what was committed while it waited.
  await lockFirst(database, plan, documentId, session)
}

/** False where the document has no version. */
async function lockFirst(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session: Session,
): Promise<boolean> {
  const locked = await inSession(session, () =>
    versionsOf(database, plan).findOneAndUpdate(
      matchDocument(documentId),
      { $set: { [LOCK]: newRevision() } },
      { ...optionsOf(database, session), sort: { _id: 1 }, projection: { _id: 1 } },
    ),
  )
  return locked !== null
}
