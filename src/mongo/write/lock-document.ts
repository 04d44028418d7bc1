import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { assertNotHeld } from './hold-documents.ts'
import { lockName } from '../system/lease.ts'
import { assertLater, commitIdOf } from '../connection/commit-record.ts'
import { COMMIT, LOCK, newRevision } from '../versions/version-fields.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { matchDocument } from '../versions/version-match.ts'
import { takeDocuments } from '../sharing/write-turns.ts'

/**
 * Blocks other writers of a document until the transaction ends. They all write its version with the lowest `_id`
 * first, so they cannot deadlock. A single type also locks its name, because it may have no version yet.
 */
export async function lockDocument(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session: Session,
): Promise<void> {
  takeDocuments(plan, [documentId], session)
  // A write of a document that has changed since the snapshot of the transaction conflicts.
  if (plan.adopted !== undefined) return
  const isLocked = await lockFirst(database, plan, documentId, session)
  if (isLocked || plan.kind !== 'singleType') return
  await lockName(database, documentId, session)
  // On some databases a transaction sees commits from the time it waited.
  await lockFirst(database, plan, documentId, session)
}

/** Without the locks, a large transaction conflicts repeatedly with writers of single documents. */
export async function lockDocuments(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
  session: Session,
): Promise<void> {
  takeDocuments(plan, documentIds, session)
  await versionsOf(database, plan).updateMany(
    { documentId: { $in: [...documentIds] } },
    { $set: { [LOCK]: newRevision() } },
    { session },
  )
}

/** False if the document has no version. mongos before 7.1 rejects updates by part of the shard key. */
async function lockFirst(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session: Session,
): Promise<boolean> {
  // The first read is outside of the transaction, so that its snapshot starts after the lock is acquired.
  let first = await findFirst(database, plan, documentId, undefined)
  while (first === null || !(await lock(database, plan, first, session))) {
    first = await findFirst(database, plan, documentId, session)
    if (first === null) return false
  }
  return true
}

async function findFirst(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session: Session | undefined,
): Promise<string | null> {
  // The transaction needs the original driver error, so errors are not wrapped here.
  const found = await versionsOf(database, plan).findOne(matchDocument(documentId), {
    session,
    sort: { _id: 1 },
    projection: { _id: 1 },
  })
  return found?._id ?? null
}

/** Returns false if the version was deleted in the meantime. */
async function lock(
  database: Database,
  plan: ContentTypePlan,
  _id: string,
  session: Session,
): Promise<boolean> {
  const locked = await versionsOf(database, plan).findOneAndUpdate(
    { _id },
    { $set: { [LOCK]: newRevision() }, $max: { [COMMIT]: commitIdOf(session) } },
    {
      session,
      returnDocument: 'before',
      projection: { [COMMIT]: 1, [LOCK]: 1 },
    },
  )
  assertNotHeld(locked?.[LOCK])
  assertLater(session, locked?.[COMMIT])
  return locked !== null
}
