import { type Db, type Document, MongoNetworkError, MongoServerError } from 'mongodb'
import { isBrokenSocket } from './database-error.ts'

/**
 * Sends a `find` or an `aggregate`, and gives the bytes of its rows. Null where they have not all come with the first
 * reply (16 MB), or where the server was lost: a cursor of the driver's reads them then, and reads once more.
 */
export type ReadAtOnce = (command: Document) => Promise<readonly Uint8Array[] | null>

interface Reply {
  readonly cursor: { readonly id: unknown; readonly firstBatch: readonly Uint8Array[] }
}

/**
 * Rows without a cursor of the driver's (7.8), which takes a third of the CPU of a read of a few rows. Of a command that
 * it is given as it is the driver sets the database and the session, and repeats nothing.
 */
export function openReadAtOnce(db: Db): ReadAtOnce {
  const { readConcern, readPreference } = db
  const options = { readPreference, fieldsAsRaw: { firstBatch: true } }
  return async (command) => {
    const whole = readConcern === undefined ? command : { ...command, readConcern }
    const reply = (await db.command(whole, options).catch(nullOfLost)) as Reply | null
    if (reply === null) return null
    const { id, firstBatch } = reply.cursor
    if (Number(id) === 0) return firstBatch
    // The rest of it is not read: where this does not reach its server, it ends there by itself.
    const collection: unknown = command['find'] ?? command['aggregate']
    db.command({ killCursors: collection, cursors: [id] }).catch(() => undefined)
    return null
  }
}

/** https://github.com/mongodb/specifications/blob/master/source/retryable-reads/retryable-reads.md */
const REPEATED: ReadonlySet<unknown> = new Set([
  6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
])

/** Null for what a read is repeated after. */
function nullOfLost(error: unknown): null {
  if (error instanceof MongoNetworkError || isBrokenSocket(error)) return null
  if (error instanceof MongoServerError && REPEATED.has(error.code)) return null
  throw error
}
