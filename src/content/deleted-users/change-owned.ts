import { isRefusal } from '../../base/is-refusal.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import { eraseHistoryOf } from '../../mongo/commits/erase-history.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { eraseTrashOf } from '../../mongo/trash/erase-trash.ts'
import {
  asRow,
  asVersion,
  type VersionDocument,
  versionsOf,
} from '../../mongo/versions/stored-version.ts'
import { deleteVersions } from '../../mongo/write/delete-versions.ts'
import { lockDocument } from '../../mongo/write/lock-document.ts'
import { takeDocuments } from '../../mongo/sharing/write-turns.ts'
import { patchVersion } from '../../mongo/write/write-versions.ts'
import type { DocumentContext } from '../context.ts'
import { assertSeenDeletion, hookDeletion } from '../write/delete-document.ts'
import { retryChanged, type SeenVersions } from '../hooks/seen-versions.ts'
import { replaceAuthor, replaceUsers, type UserRelation } from './user-relations.ts'

export interface OwnedWork {
  readonly relation: UserRelation
  readonly users: readonly string[]
  readonly origin: WriteOrigin
}

/** Documents per transaction. */
const BATCH = 100
/** Documents that hooks refuse to delete are skipped up to this number. Then the work stops. */
const MAX_REFUSED = 1_000

/** An extension refuses to delete documents of a deleted user. */
export class DeletionsRefused extends Error {
  constructor(type: string, documentIds: readonly string[]) {
    const shown = documentIds.slice(0, 10).join(', ')
    super(`Extensions refuse to delete ${documentIds.length} documents of ${type}: ${shown}`)
    this.name = 'DeletionsRefused'
  }
}

/** Deletes the documents of the users, with their trash and history. @throws DeletionsRefused after all others */
export async function deleteOwned(context: DocumentContext, work: OwnedWork): Promise<void> {
  const { plan } = work.relation
  const refused: string[] = []
  for (;;) {
    const found = await findOwned(context.database, work, { except: refused, limit: BATCH })
    if (found.length === 0) break
    await retryChanged(() => deleteBatch(context, work, { found, refused }))
    if (refused.length >= MAX_REFUSED) break
  }
  if (refused.length > 0) throw new DeletionsRefused(plan.uid, refused)
}

async function deleteBatch(
  context: DocumentContext,
  work: OwnedWork,
  { found, refused }: { readonly found: readonly string[]; readonly refused: string[] },
): Promise<void> {
  const { database } = context
  const { origin, relation } = work
  const { plan } = relation
  const seen = new Map<string, SeenVersions | undefined>()
  for (const documentId of found) {
    try {
      seen.set(
        documentId,
        await hookDeletion(context, { plan, documentId, locales: 'all', origin }),
      )
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (!refused.includes(documentId)) refused.push(documentId)
    }
  }
  await database.transact(async (session) => {
    const owned = await lockOwned(database, work, [...seen.keys()], session)
    for (const documentId of owned) {
      const request = { plan, documentId, locales: 'all' as const, seen: seen.get(documentId) }
      await assertSeenDeletion(context, request, session)
      await deleteVersions(database, plan, documentId, 'all', session)
    }
    await eraseTrashOf(database, plan, owned, session)
    await eraseHistoryOf(database, owned, session)
  }, origin)
}

/** Removes the users from the relation, or puts another one in their place. */
export async function replaceInOwned(
  { database, now }: Pick<DocumentContext, 'database' | 'now'>,
  work: OwnedWork,
  to: string | null,
): Promise<void> {
  const { plan, attribute } = work.relation
  const limit = attribute.relation.startsWith('oneTo') ? 1 : BATCH
  for (;;) {
    if (to !== null && limit === 1 && (await isTaken(database, work.relation, to))) return
    const found = await findOwned(database, work, { except: [], limit })
    if (found.length === 0) return
    await database.transact(async (session) => {
      const owned = await lockOwned(database, work, found, session)
      const rows = await versionsOf(database, plan)
        .find({ documentId: { $in: [...owned] }, ...namedIn(work) }, { session })
        .sort({ _id: 1 })
        .toArray()
      for (const version of rows.map((row) => asVersion(plan, row))) {
        const { documentId, locale, status } = version
        const value = replaceUsers(version[attribute.name], work.users, to)
        const target = { documentId, key: { locale, status } }
        const changes = {
          [attribute.name]: value,
          createdBy: replaceAuthor(version.createdBy, work.users, to),
          updatedBy: replaceAuthor(version.updatedBy, work.users, to),
          updatedAt: now(),
        }
        await patchVersion(database, plan, target, changes, session)
      }
    }, work.origin)
  }
}

/** A user has at most one document in a relation that begins with `oneTo`. */
async function isTaken(
  database: Database,
  { plan, attribute }: UserRelation,
  user: string,
): Promise<boolean> {
  const options = { projection: { _id: 1 } }
  return (
    (await versionsOf(database, plan).findOne({ [attribute.storedName]: user }, options)) !== null
  )
}

async function findOwned(
  database: Database,
  work: OwnedWork,
  { except, limit }: { readonly except: readonly string[]; readonly limit: number },
): Promise<readonly string[]> {
  const others = except.length === 0 ? {} : { documentId: { $nin: [...except] } }
  const found = await versionsOf(database, work.relation.plan)
    .find({ ...namedIn(work), ...others }, { projection: { documentId: 1 }, limit })
    .toArray()
  return distinctIds(found)
}

/** Locks the documents, in one order for all callers, and returns the ones that still name a user. */
async function lockOwned(
  database: Database,
  work: OwnedWork,
  documentIds: readonly string[],
  session: Session,
): Promise<readonly string[]> {
  const { plan } = work.relation
  const ids = [...documentIds].sort()
  takeDocuments(plan, ids, session)
  for (const documentId of ids) await lockDocument(database, plan, documentId, session)
  const which = { documentId: { $in: ids }, ...namedIn(work) }
  const found = await versionsOf(database, plan)
    .find(which, { session, projection: { documentId: 1 } })
    .toArray()
  return distinctIds(found)
}

function namedIn({ relation, users }: Pick<OwnedWork, 'relation' | 'users'>) {
  return { [relation.attribute.storedName]: { $in: [...users] } }
}

function distinctIds(rows: readonly VersionDocument[]): readonly string[] {
  return [...new Set(rows.map((row) => asRow(row).documentId))].sort()
}
