import { MongoNetworkError } from 'mongodb'
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
    })
  } catch (error) {
    if (error instanceof RefusedTogether) return null
    throw error
  }
}

/** No error of the driver, so that the transaction is not tried again. */
class RefusedTogether extends Error {
  constructor(cause: unknown) {
    super('Nothing could be stored together', { cause })
    this.name = 'RefusedTogether'
  }
}
