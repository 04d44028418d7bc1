import type { Database, Session } from '../mongo/connection/database.ts'
import { ensureIndexes } from '../mongo/system/system-collections.ts'
import { newDocumentId } from '../mongo/versions/document-id.ts'
import type { FileRecord, FileRecords } from './file-records.ts'
import type { MediaStorage } from './storage/storage.ts'
import { keptNames } from './stored-names.ts'
import { trashedName } from './trashed-names.ts'

/** `record`: under the names of the record. `trash`: under names that are not served. `gone`: deleted. */
export type BytesPlace = 'record' | 'trash' | 'gone'

/** Moves the bytes of deleted files in the storage after the transaction that decides their place. */
export interface TrashMoves {
  /** Call before the transaction of `decide`. */
  prepare(): Promise<void>
  decide(
    session: Session,
    deletion: string,
    place: BytesPlace,
    record: TrashedRecord,
  ): Promise<void>
  /** Returns after the bytes are at the place that was decided last. Can be repeated and run concurrently. */
  settle(deletion: string): Promise<void>
  /** Settles all moves of a file. */
  settleFile(documentId: string): Promise<void>
  isMoving(documentId: string): Promise<boolean>
  /** Files that are being moved, with all names that their bytes may have. */
  unsettled(): Promise<readonly MovingFile[]>
  /** Settles moves that killed processes and failures of the storage have left. */
  finish(): Promise<void>
}

export type TrashedRecord = Pick<
  FileRecord,
  'documentId' | 'hash' | 'ext' | 'formats' | 'generation' | 'original' | 'variants'
>

export interface MovingFile {
  readonly documentId: string
  readonly names: readonly string[]
}

interface MoveRow {
  /** The id of the deletion. */
  readonly _id: string
  readonly documentId: string
  readonly hash: string
  readonly place: BytesPlace
  /** Changes with each decision. */
  readonly turn: string
  readonly isSettled: boolean
  readonly names: readonly string[]
  readonly variants: readonly string[]
}

interface MovesContext {
  readonly db: Database
  readonly storage: MediaStorage
  readonly records: Pick<FileRecords, 'get'>
}

const UNSETTLED = { isSettled: false }

export function openTrashMoves(context: MovesContext): TrashMoves {
  const rows = rowsOf(context)
  return {
    prepare: () => ensureIndexes(rows, [{ key: { isSettled: 1 }, name: 'settled' }]),
    decide: async (session, deletion, place, record) => {
      const names = keptNames(record)
      const { documentId, hash, variants = [] } = record
      const turn = newDocumentId()
      const values = { documentId, hash, place, turn, ...UNSETTLED, names, variants }
      await rows.updateOne({ _id: deletion }, { $set: values }, { session, upsert: true })
    },
    settle: (deletion) => settle(context, deletion),
    settleFile: (documentId) => settleAll(context, { documentId }),
    isMoving: async (documentId) => (await rows.findOne({ documentId, ...UNSETTLED })) !== null,
    unsettled: async () =>
      (await rows.find(UNSETTLED).toArray()).map(({ _id, documentId, names, variants }) => ({
        documentId,
        names: [...names.flatMap((name) => [name, trashedName(name, _id)]), ...variants],
      })),
    finish: () => settleAll(context, {}),
  }
}

async function settleAll(
  context: MovesContext,
  which: Partial<Pick<MoveRow, 'documentId'>>,
): Promise<void> {
  const left = await rowsOf(context)
    .find({ ...which, ...UNSETTLED }, { projection: { _id: 1 } })
    .toArray()
  for (const { _id } of left) await settle(context, _id)
}

/**
 * A slow process may move bytes to a place that is outdated. It finds another turn in the row then, and moves them
 * again. So the row stays while the bytes exist.
 */
async function settle(context: MovesContext, deletion: string): Promise<void> {
  const rows = rowsOf(context)
  let row = await rows.findOne({ _id: deletion, ...UNSETTLED })
  while (row !== null) {
    await moveBytes(context, row)
    const { _id, turn, place } = row
    if (place === 'gone') {
      await rows.deleteOne({ _id })
      return
    }
    const { matchedCount } = await rows.updateOne({ _id, turn }, { $set: { isSettled: true } })
    if (matchedCount > 0) return
    row = (await rows.findOne({ _id })) ?? { ...row, place: 'gone' }
  }
}

async function moveBytes(
  context: MovesContext,
  { _id, documentId, hash, place, names, variants }: MoveRow,
): Promise<void> {
  const { storage, records } = context
  if (place === 'gone') {
    for (const name of names) await storage.remove(trashedName(name, _id))
    return
  }
  if (place === 'record') {
    for (const name of names) {
      if ((await storage.get(name)) === null) await storage.rename(trashedName(name, _id), name)
    }
    await removeReplaced(context, { documentId, names })
    return
  }
  // An archive that was imported meanwhile brings the record back with its names.
  const record = await records.get({ documentId })
  if (record?.hash === hash) return
  for (const name of names) await storage.rename(name, trashedName(name, _id))
  for (const name of variants) await storage.remove(name)
}

/** Another request can have replaced or renamed the bytes before they were back. */
async function removeReplaced(
  { storage, records }: MovesContext,
  { documentId, names }: Pick<MoveRow, 'documentId' | 'names'>,
): Promise<void> {
  const record = await records.get({ documentId })
  if (record === null) return
  const kept = keptNames(record)
  for (const name of names) if (!kept.includes(name)) await storage.remove(name)
}

function rowsOf({ db }: Pick<MovesContext, 'db'>) {
  return db.table<MoveRow>('quire_trash_moves')
}
