import { type Db, type Document, MongoError, MongoErrorLabel, MongoNetworkError } from 'mongodb'
import { isBrokenSocket, isPlanKilled } from './database-error.ts'

/**
 * Sends a `find` or an `aggregate`, and gives the bytes of its rows. Null where they have not all come with the first
 * reply (16 MB), or where the server was lost: a cursor of the driver's reads them then, and reads once more.
 */
export type ReadAtOnce = (command: Document) => Promise<readonly Uint8Array[] | null>

/** What the client repeats by itself (`MongoClientOptions`). */
export interface Repeating {
  readonly retryReads: boolean
  readonly retryWrites: boolean
}

interface Reply {
  readonly cursor: { readonly id: bigint; readonly firstBatch: readonly Uint8Array[] }
}

/**
 * Rows without a cursor of the driver's (7.8), which takes a third of the CPU of a read of a few rows. Of a command that
 * it is given as it is the driver sets the database and the session, and repeats nothing but for overload.
 */
export function openReadAtOnce(db: Db, repeating: Repeating): ReadAtOnce {
  const { readConcern, readPreference } = db
  const options = { readPreference, fieldsAsRaw: { firstBatch: true }, useBigInt64: true }
  const nullOfLost = (error: unknown): null => {
    if (repeating.retryReads && isRepeated(error, repeating)) return null
    throw error
  }
  /** Collections that rows did not fit of: what is read of them is not read twice again. */
  const large = new Set<unknown>()
  return async (command) => {
    const collection: unknown = command['find'] ?? command['aggregate']
    if (large.has(collection)) return null
    const whole = readConcern === undefined ? command : { ...command, readConcern }
    const reply = (await db.command(whole, options).catch(nullOfLost)) as Reply | null
    if (reply === null) return null
    const { id, firstBatch } = reply.cursor
    if (id === 0n) return firstBatch
    large.add(collection)
    // Where this does not reach its server, the cursor ends there by itself.
    const kill = { killCursors: collection, cursors: [id] }
    db.command(kill, { readPreference }).catch(() => undefined)
    return null
  }
}

/** https://github.com/mongodb/specifications/blob/master/source/retryable-reads/retryable-reads.md */
const REPEATED: ReadonlySet<unknown> = new Set([
  6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
])
/** Servers without codes say so by their words. */
const LOST = /not master|node is recovering/i

/** Whether a second `find` may succeed, and the driver has not repeated the command. */
function isRepeated(error: unknown, { retryWrites }: Repeating): boolean {
  if (error instanceof MongoNetworkError || isBrokenSocket(error)) return true
  if (!(error instanceof MongoError)) return false
  if (isPlanKilled(error) || REPEATED.has(error.code) || LOST.test(error.message)) return true
  const isOverload = [MongoErrorLabel.SystemOverloadedError, MongoErrorLabel.RetryableError].every(
    (label) => error.hasErrorLabel(label),
  )
  return isOverload && !retryWrites // a command is repeated where writes are too
}
