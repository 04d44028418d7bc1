import type { Database, Session } from '../mongo/connection/database.ts'
import { newDocumentId } from '../mongo/versions/document-id.ts'
import { ensureIndexes } from '../mongo/system/system-collections.ts'
import type { MediaStorage } from './storage/storage.ts'

/** Stored names that no record uses any more, but that may still be served. */
export interface RetiredFiles {
  /** Call before the transaction of `add`. */
  prepare(): Promise<void>
  add(session: Session, names: readonly string[]): Promise<void>
  /** Removes the files. Without this, a killed process would leave a private file under its public address. */
  finish(): Promise<void>
}

interface RetiredRow {
  readonly _id: string
  readonly at: Date
  readonly names: readonly string[]
}

export function openRetiredFiles(
  db: Database,
  storage: Pick<MediaStorage, 'remove'>,
  now: () => Date,
): RetiredFiles {
  const rows = db.table<RetiredRow>('quire_retired_files')
  return {
    prepare: () => ensureIndexes(rows, [{ key: { at: 1 }, name: 'at' }]),
    add: async (session, names) => {
      await rows.insertOne({ _id: newDocumentId(), at: now(), names }, { session })
    },
    finish: async () => {
      for (const { _id, names } of await rows.find({}).toArray()) {
        for (const name of names) await storage.remove(name)
        await rows.deleteOne({ _id })
      }
    },
  }
}
