import { BSON, type Document, MongoNetworkError } from 'mongodb'
import { CommitBehind } from '../connection/commit-record.ts'
import type { Database, Session } from '../connection/database.ts'
import { isBrokenSocket } from '../connection/database-error.ts'

/**
 * Runs a transaction that stores what several requests give. Null where the database refuses it: one of them may be why,
 * and nothing is stored. What was lost, or has to be a later commit, is tried again.
 */
export async function storeTogether<T>(
  database: Database,
  work: (session: Session) => Promise<T>,
): Promise<T | null> {
  try {
    return await database.transact(async (session) => {
      try {
        const made = await work(session)
        await database.writeCommit(session)
        return made
      } catch (error) {
        const mayRetry = error instanceof CommitBehind || error instanceof MongoNetworkError
        if (mayRetry || isBrokenSocket(error)) throw error
        throw new RefusedTogether(error)
      }
    }, null)
  } catch (error) {
    if (error instanceof RefusedTogether) return null
    throw error
  }
}

/**
 * What is written together is one command, of at most 16 MB, and another for the log, which holds it again: a few large
 * documents are not written together.
 */
const MOST_BYTES = 4 * 1024 * 1024

/** @throws Error where they are too large for one command */
export function assertSmall(documents: readonly Document[]): void {
  const bytes = documents.reduce((sum, each) => sum + BSON.calculateObjectSize(each), 0)
  if (bytes > MOST_BYTES) throw new Error(`${bytes} bytes are too large to be stored together`)
}

/** No error of the driver, so that the transaction is not tried again. */
class RefusedTogether extends Error {
  constructor(cause: unknown) {
    super('Nothing could be stored together', { cause })
    this.name = 'RefusedTogether'
  }
}
