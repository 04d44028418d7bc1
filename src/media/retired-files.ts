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
  /** Whether a request may still write the names to a record. */
  readonly isAnnounced?: boolean
}

export function openRetiredFiles(
  db: Database,
  storage: Pick<MediaStorage, 'remove'>,
  now: () => Date,
): RetiredFiles {
  const rows = db.table<RetiredRow>('quire_retired_files')
  const prepare = (): Promise<void> => ensureIndexes(rows, [{ key: { at: 1 }, name: 'at' }])
  const discard = async ({ _id, names }: RetiredRow): Promise<void> => {
    for (const name of names) await storage.remove(name)
    await rows.deleteOne({ _id })
  }
  /** Without this step, the names could be written to a record while they are removed. Null: they are in a record. */
  const claim = (_id: string): Promise<RetiredRow | null> =>
    rows.findOneAndUpdate({ _id }, { $set: { isAnnounced: false } }, { returnDocument: 'after' })
  return {
    prepare,
    add: async (session, names) => {
      await rows.insertOne({ _id: newDocumentId(), at: now(), names }, { session })
    },
    announce: async (names, store) => {
      await prepare()
      const _id = newDocumentId()
      await rows.insertOne({ _id, at: now(), names, isAnnounced: true })
      try {
        return await store(async (session) => {
          const { deletedCount } = await rows.deleteOne({ _id, isAnnounced: true }, { session })
          if (deletedCount === 0) throw fileChanged()
        })
      } finally {
        await withdraw(() => claim(_id), discard)
      }
    },
    finish: async () => {
      const before = new Date(now().getTime() - ANNOUNCED_FOR)
      const unused = { $or: [{ isAnnounced: { $ne: true } }, { at: { $lt: before } }] }
      for (const { _id } of await rows.find(unused).toArray()) {
        const row = await claim(_id)
        if (row !== null) await discard(row)
      }
    },
  }
}

/** The row stays after a failure, so that `finish` removes the files. */
async function withdraw(
  claim: () => Promise<RetiredRow | null>,
  discard: (row: RetiredRow) => Promise<void>,
): Promise<void> {
  try {
    const row = await claim()
    if (row !== null) await discard(row)
  } catch {
    // The outcome of `store` is known, and must reach the caller.
  }
}
