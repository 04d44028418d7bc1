import { fileChanged } from './current-bytes.ts'
import type { Database, Session } from '../mongo/connection/database.ts'
import { newDocumentId } from '../mongo/versions/document-id.ts'
import { ensureIndexes } from '../mongo/system/system-collections.ts'
import type { MediaStorage } from './storage/storage.ts'

/** Stored names that no record uses: not yet, or not any more. */
export interface RetiredFiles {
  /** Call before the transaction of `add`. */
  prepare(): Promise<void>
  add(session: Session, names: readonly string[]): Promise<void>
  /**
   * Runs `store`, which stores these names and calls `keep` in the transaction that writes them to a record. Removes the
   * files unless that transaction is committed.
   * @throws the error of `store`
   */
  announce<T>(names: readonly string[], store: (keep: Keep) => Promise<T>): Promise<T>
  /** Removes the files. Without this, a killed process would leave a private file under its public address. */
  finish(): Promise<void>
}

/** @throws ConflictError if the names have been announced for too long and are removed */
export type Keep = (session: Session) => Promise<void>

/** In milliseconds. Younger names may belong to a request that is still running. */
const ANNOUNCED_FOR = 3_600_000

interface RetiredRow {
  readonly _id: string
  readonly at: Date
  readonly names: readonly string[]
}

interface AnnouncedRow extends RetiredRow {
  /** Whether the files are being removed. No record may get the names then. */
  readonly isClaimed: boolean
}

export function openRetiredFiles(
  db: Database,
  storage: Pick<MediaStorage, 'remove'>,
  now: () => Date,
): RetiredFiles {
  const rows = db.table<RetiredRow>('quire_retired_files')
  // A collection of its own, because older versions remove all files of the other one at once.
  const announced = db.table<AnnouncedRow>('quire_announced_files')
  const removeAll = async (names: readonly string[]): Promise<void> => {
    for (const name of names) await storage.remove(name)
  }
  /** Without this step, the names could be written to a record while they are removed. Null: they are in a record. */
  const discard = async (_id: string): Promise<void> => {
    const row = await announced.findOneAndUpdate({ _id }, { $set: { isClaimed: true } })
    if (row === null) return
    await removeAll(row.names)
    await announced.deleteOne({ _id })
  }
  return {
    prepare: () => ensureIndexes(rows, [{ key: { at: 1 }, name: 'at' }]),
    add: async (session, names) => {
      await rows.insertOne({ _id: newDocumentId(), at: now(), names }, { session })
    },
    announce: async (names, store) => {
      const _id = newDocumentId()
      await announced.insertOne({ _id, at: now(), names, isClaimed: false })
      try {
        return await store(async (session) => {
          const { deletedCount } = await announced.deleteOne({ _id, isClaimed: false }, { session })
          if (deletedCount === 0) throw fileChanged()
        })
      } finally {
        // After a failure, the row stays for `finish`. The outcome of `store` must reach the caller.
        await discard(_id).catch(() => undefined)
      }
    },
    finish: async () => {
      for (const { _id, names } of await rows.find({}).toArray()) {
        await removeAll(names)
        await rows.deleteOne({ _id })
      }
      const before = new Date(now().getTime() - ANNOUNCED_FOR)
      const unused = { $or: [{ isClaimed: true }, { at: { $lt: before } }] }
      for (const { _id } of await announced.find(unused).toArray()) await discard(_id)
    },
  }
}
