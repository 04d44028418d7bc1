import { BSON, type Document, MongoNetworkError } from 'mongodb'
import { CommitBehind } from '../connection/commit-record.ts'
import type { Database, Session } from '../connection/database.ts'
import { isBrokenSocket } from '../connection/database-error.ts'

/**
 * Runs a transaction for several requests. Returns null if the database rejects it; nothing is
 * stored, and any of the requests may be the cause. Network errors and `CommitBehind` are retried.
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

/** One command is limited to 16 MB, and the log stores the content a second time. */
const MOST_BYTES = 4 * 1024 * 1024

/** @throws Error if the documents are too large for one command */
export function assertSmall(documents: readonly Document[]): void {
  const bytes = documents.reduce((sum, each) => sum + BSON.calculateObjectSize(each), 0)
  if (bytes > MOST_BYTES) throw new Error(`${bytes} bytes are too large to be stored together`)
}

/** Not a driver error, so that the transaction is not retried. */
class RefusedTogether extends Error {
  constructor(cause: unknown) {
    super('Nothing could be stored together', { cause })
    this.name = 'RefusedTogether'
  }
}
