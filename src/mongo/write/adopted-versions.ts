import type { Document } from 'mongodb'
import { ConflictError } from '../../base/errors.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { Data } from '../../schema/definition.ts'
import { LOSSLESS } from '../adopted/foreign-value.ts'
import { toForeignDocument, toForeignUpdate } from '../adopted/foreign-update.ts'
import type { Database, Session } from '../connection/database.ts'
import { getWholeVersion } from '../read/get-versions.ts'
import { takeDocuments } from '../sharing/write-turns.ts'
import { removeLostNotes } from '../trash/lost-notes.ts'
import type { AdoptedType } from '../versions/adopted-expression.ts'
import { idOfText } from '../versions/adopted-rows.ts'
import { asRow, type StoredVersion } from '../versions/stored-version.ts'
import { type REVISION, revisionOf } from '../versions/version-fields.ts'
import { versionId } from '../versions/version-match.ts'
import { unlessRefused } from './adopted-refusal.ts'
import { notePut, noteRemoved } from './note-versions.ts'
import { guardAdded, guardVersion } from './row-guard.ts'

// Writes to collections that other services write, too. No command sets a member that the declaration does not name.
// The snapshot of the transaction replaces locks: the write of a document that has changed since it was read conflicts,
// and the transaction runs again.

const KEY = { locale: NO_LOCALE, status: 'published' } as const

type Expected = Pick<StoredVersion, typeof REVISION | 'updatedAt'> | null

function documentsOf(database: Database, { collectionName }: AdoptedType) {
  return database.table(collectionName)
}

function byId({ adopted }: AdoptedType, documentId: string): Document {
  return { _id: idOfText(adopted.idKind, documentId) }
}

export function getAdopted(
  database: Database,
  plan: AdoptedType,
  documentId: string,
  session: Session,
): Promise<StoredVersion | null> {
  return getWholeVersion(database, plan, documentId, KEY, session)
}

/**
 * Returns the version after the write. Null if it does not exist or has another revision. @throws ConflictError,
 * ValidationError if the collection refuses the values
 */
export async function patchAdopted(
  database: Database,
  plan: AdoptedType,
  { documentId, expected }: { readonly documentId: string; readonly expected: Expected },
  values: Data,
  session: Session,
): Promise<StoredVersion | null> {
  takeDocuments(plan, [documentId], session)
  await guardVersion(database, plan, versionId(documentId, KEY), session)
  const which = byId(plan, documentId)
  const shown = await getAdopted(database, plan, documentId, session)
  if (shown === null || (expected !== null && revisionOf(shown) !== revisionOf(expected)))
    return null
  const table = documentsOf(database, plan)
  const stored = await table.findOne(which, { session, ...LOSSLESS })
  if (stored === null) return null
  const change = toForeignUpdate(plan, { stored, shown }, values)
  if (change === null) return shown
  const { filter, update } = change
  const { matchedCount } = await unlessRefused({ database, plan, values }, () =>
    table.updateOne({ ...which, ...filter }, update, { session }),
  )
  const written = await getAdopted(database, plan, documentId, session)
  if (matchedCount === 0 || written === null) throw changedMeanwhile()
  notePut(plan, [asRow(written)], session)
  return written
}

function changedMeanwhile(): ConflictError {
  const message = 'Another service changed this entry at the same time'
  return new ConflictError(message, {}, { code: 'entry_changed' })
}

/** @throws ValidationError if the collection refuses the values */
export async function insertAdopted(
  database: Database,
  plan: AdoptedType,
  versions: readonly StoredVersion[],
  session: Session,
): Promise<readonly StoredVersion[]> {
  const written: StoredVersion[] = []
  for (const version of versions) {
    const { documentId } = version
    const made = toForeignDocument(plan, idOfText(plan.adopted.idKind, documentId), version)
    await unlessRefused({ database, plan, values: version }, () =>
      documentsOf(database, plan).insertOne(made, { session }),
    )
    const stored = await getAdopted(database, plan, documentId, session)
    if (stored === null) throw new Error(`${plan.uid}: an insert left nothing`)
    const row = asRow(stored)
    await guardAdded(plan, [row], session)
    notePut(plan, [row], session, { isNew: true })
    written.push(stored)
  }
  return written
}

/** Returns the number of deleted documents. */
export async function deleteAdopted(
  database: Database,
  plan: AdoptedType,
  documentId: string,
  session: Session,
): Promise<number> {
  await guardVersion(database, plan, versionId(documentId, KEY), session)
  const stored = await getAdopted(database, plan, documentId, session)
  if (stored === null) return 0
  const which = byId(plan, documentId)
  const { deletedCount } = await documentsOf(database, plan).deleteOne(which, { session })
  await removeLostNotes(database, plan, [documentId], { session })
  noteRemoved(plan, [asRow(stored)], deletedCount, session)
  return deletedCount
}

/** False if the document was deleted or its revision is not `expected`. */
export async function isAdoptedUnchanged(
  database: Database,
  plan: AdoptedType,
  documentId: string,
  expected: Expected,
  session: Session,
): Promise<boolean> {
  const current = await getAdopted(database, plan, documentId, session)
  if (current === null || expected === null) return current !== null
  return revisionOf(current) === revisionOf(expected)
}
