import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { assertNotHeld } from './hold-documents.ts'
import { lockName } from '../system/lease.ts'
import { assertLater, commitIdOf } from '../connection/commit-record.ts'
import { COMMIT, LOCK, newRevision } from '../versions/revision.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { matchDocument } from '../versions/version-match.ts'
import { takeDocuments } from './take-turns.ts'
import { optionsOf } from '../connection/commands.ts'

/**
 * Keeps every other writer of several versions of a document waiting until the transaction ends: all of
 * them write the same version first, that of the lowest `_id`, so that no two can wait for each other.
 * What a client sees of that version, and its revision, stay as they are; that it names this commit keeps those of the
 * document in their order, also where a locale is removed and begun again. A single type has a documentId
 * before it has versions: two that begin it at once, in two locales, wait for each other as well.
 */
export async function lockDocument(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session: Session,
): Promise<void> {
  takeDocuments(plan, [documentId], session)
  const isLocked = await lockFirst(database, plan, documentId, session)
  if (isLocked || plan.kind !== 'singleType') return
  await lockName(database, documentId, session)
  // Where a transaction sees what was committed while it waited.
  await lockFirst(database, plan, documentId, session)
}

/**
 * Keeps others from writing any of these documents until the transaction ends, by one command: a transaction of many is
 * else in conflict with whoever saves one of them, again and again.
 */
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
    optionsOf(database, session),
  )
}

/**
 * False where the document has no version. The version is written by its whole `_id`: mongos before 7.1 takes no
 * `updateOne` and no `findAndModify` that names but a part of the shard key.
 */
async function lockFirst(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session: Session,
): Promise<boolean> {
  // Outside of the transaction at first: it sees what is there when it has the lock, and not before it waited.
  let first = await findFirst(database, plan, documentId, undefined)
  while (first === null || !(await lock(database, plan, first, session))) {
    first = await findFirst(database, plan, documentId, session)
    if (first === null) return false
  }
  return true
}

/** The lowest `_id` of a document's versions. */
async function findFirst(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session: Session | undefined,
): Promise<string | null> {
  // A driver's error must reach the transaction as it is, be it of a read beside it.
  const found = await versionsOf(database, plan).findOne(matchDocument(documentId), {
    ...optionsOf(database, session),
    sort: { _id: 1 },
    projection: { _id: 1 },
  })
  return found?._id ?? null
}

/** False where it has gone meanwhile. */
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
      ...optionsOf(database, session),
      returnDocument: 'before',
      projection: { [COMMIT]: 1, [LOCK]: 1 },
    },
  )
  assertNotHeld(locked?.[LOCK])
  assertLater(session, locked?.[COMMIT])
  return locked !== null
}
