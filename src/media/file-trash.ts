import { ConflictError, NotFoundError } from '../base/errors.ts'
import { assertLater, noteRow } from '../mongo/connection/commit-record.ts'
import type { Database, Session } from '../mongo/connection/database.ts'
import { keepDeleted } from '../mongo/trash/keep-deleted.ts'
import { findDeletionsOf, findVersionsOfDeletions } from '../mongo/trash/read-trash.ts'
import { takeFromTrash } from '../mongo/trash/take-from-trash.ts'
import { type DeletionRow, deletionsIn, TRASH_TYPE } from '../mongo/trash/trash-rows.ts'
import { newRevision } from '../mongo/versions/version-fields.ts'
import { asRow, asVersion, versionsOf } from '../mongo/versions/stored-version.ts'
import { versionId } from '../mongo/versions/version-match.ts'
import { deleteVersions } from '../mongo/write/delete-versions.ts'
import { lockDocument } from '../mongo/write/lock-document.ts'
import { insertVersions } from '../mongo/write/write-versions.ts'
import { NO_LOCALE } from '../schema/no-locale.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import type { FileRecord } from './file-records.ts'
import { asDiskErrors, tryAgain } from './storage/disk-errors.ts'
import type { MediaStorage } from './storage/storage.ts'
import { possibleNames } from './stored-names.ts'
import type { TrashMoves } from './trash-moves.ts'
import { trashedName } from './trashed-names.ts'

/** Null selects the latest deletion. */
export interface DeletedFile {
  readonly documentId: string
  readonly deletion: string | null
}

/** @throws an error for a record that the caller may not see */
export type AssertSeen = (record: FileRecord) => void

export interface FileTrash {
  /** False for files that are deleted permanently. */
  keeps(record: FileRecord): boolean
  /** @throws ConflictError for a file in the trash, because a new one would prevent its restore */
  assertAbsent(documentId: string, session?: Session): Promise<void>
  /** Moves a file and its bytes to the trash. Returns false if there is no such file. */
  remove(documentId: string): Promise<boolean>
  /** Restores a file with its ids and addresses. @throws NotFoundError; ConflictError if the file exists again; ServiceUnavailableError if its bytes are not back yet */
  restore(deleted: DeletedFile, assertSeen: AssertSeen): Promise<FileRecord>
  /** Deletes all deletions of a file, or one of them, with their bytes. @throws NotFoundError */
  end(deleted: DeletedFile, assertSeen: AssertSeen): Promise<void>
  /** Deletes the deletions before this time, with their bytes. Returns their number. */
  readonly sweep: (before: Date) => Promise<number>
  /** Completes the moves of the bytes of a file, for example of one that was just restored. */
  settle(documentId: string): Promise<void>
  /** Whether bytes of this file are not yet at their place. */
  isMoving(documentId: string): Promise<boolean>
  /** Completes moves of bytes that a killed process has left. */
  finish(): Promise<void>
}

export interface FileTrashContext {
  readonly database: Database
  readonly plan: ContentTypePlan
  readonly storage: MediaStorage
  readonly moves: TrashMoves
  readonly now: () => Date
}

const KEY = { locale: NO_LOCALE, status: 'published' } as const
const BATCH = 200

export function openFileTrash(context: FileTrashContext): FileTrash {
  const { moves, database, storage } = context
  return {
    keeps: ({ provider, size, original }) =>
      database.trashDays > 0 &&
      provider === storage.provider &&
      Math.max(size, original?.size ?? 0) * 1_000 <= (storage.maxRenameBytes ?? Infinity),
    assertAbsent: (documentId, session) => assertAbsent(context, documentId, session),
    remove: (documentId) => remove(context, documentId),
    restore: (deleted, assertSeen) => restore(context, deleted, assertSeen),
    end: (deleted, assertSeen) => end(context, deleted, { assertSeen, isNoted: true }),
    sweep: (before) => sweep(context, before),
    settle: (documentId) => settleFile(context, documentId),
    isMoving: (documentId) => moves.isMoving(documentId),
    finish: () => moves.finish(),
  }
}

async function assertAbsent(
  context: FileTrashContext,
  documentId: string,
  session: Session | undefined,
): Promise<void> {
  const rows = await findRows(context, { documentId, deletion: null }, session)
  if (rows.length === 0) return
  const message =
    'The file of this upload is in the trash: restore it, or upload it with another Idempotency-Key'
  throw new ConflictError(message, {}, { code: 'file_changed' })
}

async function remove(context: FileTrashContext, documentId: string): Promise<boolean> {
  const { database, plan, moves } = context
  await moves.prepare()
  // Otherwise, the move of a restored file could continue after that of the deleted one.
  await settleFile(context, documentId)
  const deletion = await database.transact(async (session) => {
    await lockDocument(database, plan, documentId, session)
    const found = await versionsOf(database, plan).findOne(
      { _id: versionId(documentId, KEY) },
      { session },
    )
    if (found === null) return null
    const kept = await keepDeleted(database, plan, [asRow(found)], session)
    await deleteVersions(database, plan, documentId, 'all', session)
    const record = asVersion(plan, found) as FileRecord
    if (kept !== null) await moves.decide(session, kept, 'trash', record)
    return kept
  })
  if (deletion === null) return false
  await settle(context, deletion)
  return true
}

async function restore(
  context: FileTrashContext,
  deleted: DeletedFile,
  assertSeen: AssertSeen,
): Promise<FileRecord> {
  const { database, moves } = context
  await moves.prepare()
  const { deletion, record } = await database.transact((session) =>
    bringBack(context, deleted, assertSeen, session),
  )
  await asDiskErrors(() => tryAgain(() => moves.settle(deletion)))
  return record
}

async function bringBack(
  context: FileTrashContext,
  deleted: DeletedFile,
  assertSeen: AssertSeen,
  session: Session,
): Promise<{ readonly deletion: string; readonly record: FileRecord }> {
  const { database, plan, moves, now } = context
  const { documentId } = deleted
  const [row] = await findRows(context, deleted, session)
  if (row === undefined) throw notInTrash()
  const [old] = await recordsOf(context, [row], session)
  if (old === undefined) throw notInTrash() // another process is deleting it
  assertSeen(old)
  assertLater(session, row.commit)
  const _id = versionId(documentId, KEY)
  if ((await versionsOf(database, plan).findOne({ _id }, { session })) !== null) {
    throw new ConflictError('The file exists already', {}, { code: 'already_there' })
  }
  await assertBytes(context, row._id, old)
  const isTaken = await takeFromTrash(database, plan, { row, locales: row.locales }, session)
  if (!isTaken) throw notInTrash()
  const own = Object.entries(old).filter(([name]) => !name.startsWith('_'))
  const record = {
    ...(Object.fromEntries(own) as unknown as FileRecord),
    createdBy: old.createdBy ?? null,
    updatedAt: now(),
    _revision: newRevision(),
    variants: [],
  }
  await insertVersions(database, plan, [record], session)
  await moves.decide(session, row._id, 'record', old)
  return { deletion: row._id, record }
}

/** @throws NotFoundError if the storage has lost the file, or is another one now */
async function assertBytes(
  context: FileTrashContext,
  deletion: string,
  record: FileRecord,
): Promise<void> {
  const { storage } = context
  for (const name of possibleNames(record, record.generation)) {
    if ((await storage.get(trashedName(name, deletion))) !== null) return
    if ((await storage.get(name)) !== null) return
  }
  const { documentId } = record
  const isEnded = (await findRows(context, { documentId, deletion })).length === 0
  throw isEnded ? notInTrash() : new NotFoundError('The bytes of the file are missing')
}

interface EndOptions {
  readonly assertSeen: AssertSeen
  /** Whether the audit lists it. */
  readonly isNoted: boolean
}

async function end(
  context: FileTrashContext,
  deleted: DeletedFile,
  { assertSeen, isNoted }: EndOptions,
): Promise<void> {
  const { database, plan, moves } = context
  await moves.prepare()
  // `gone` removes the names of the trash only, because an import can bring the other ones back.
  for (const { _id } of await findRows(context, deleted)) await moves.settle(_id)
  const ended = await database.transact(async (session) => {
    const rows = await findRows(context, deleted, session)
    if (rows.length === 0) throw notInTrash()
    for (const row of rows) {
      const [record] = await recordsOf(context, [row], session)
      if (record !== undefined) {
        assertSeen(record)
        await moves.decide(session, row._id, 'gone', record)
      }
      await takeFromTrash(database, plan, { row, locales: row.locales }, session)
    }
    if (isNoted) {
      noteRow(session, 'delete', { type: TRASH_TYPE, documentId: deleted.documentId })
    }
    return rows
  })
  for (const { _id } of ended) await settle(context, _id)
}

async function sweep(context: FileTrashContext, before: Date): Promise<number> {
  const { database, plan, moves } = context
  await moves.finish()
  for (let ended = 0; ;) {
    const old = await deletionsIn(database)
      .find({ at: { $lt: before }, type: plan.uid }, { projection: { documentId: 1 } })
      .sort({ at: 1 })
      .limit(BATCH)
      .toArray()
    for (const { _id, documentId } of old) {
      await end(context, { documentId, deletion: _id }, SWEPT).catch(unlessRestored)
    }
    ended += old.length
    if (old.length < BATCH) return ended
  }
}

const SWEPT: EndOptions = { assertSeen: () => undefined, isNoted: false }

function unlessRestored(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error
}

/** @throws ServiceUnavailableError if the storage fails */
function settleFile({ moves }: FileTrashContext, documentId: string): Promise<void> {
  return asDiskErrors(() => tryAgain(() => moves.settleFile(documentId)))
}

/** The decision is stored. If the storage fails, the next sweep moves the bytes. */
async function settle({ moves }: FileTrashContext, deletion: string): Promise<void> {
  await tryAgain(() => moves.settle(deletion)).catch(() => undefined)
}

function findRows(
  { database, plan }: FileTrashContext,
  deleted: DeletedFile,
  session?: Session,
): Promise<readonly DeletionRow[]> {
  return findDeletionsOf(database, { type: plan.uid, ...deleted }, session)
}

async function recordsOf(
  { database, plan }: FileTrashContext,
  rows: readonly DeletionRow[],
  session?: Session,
): Promise<readonly FileRecord[]> {
  const ids = rows.map(({ _id }) => _id)
  const versions = await findVersionsOfDeletions(database, ids, session)
  return versions.map(({ version }) => asVersion(plan, version) as FileRecord)
}

function notInTrash(): NotFoundError {
  return new NotFoundError('This is not in the trash')
}
