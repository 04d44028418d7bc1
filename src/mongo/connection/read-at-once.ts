import { type Db, MongoError, MongoErrorLabel, MongoNetworkError } from 'mongodb'
import { isBrokenSocket, isPlanKilled } from './database-error.ts'
import type { ReadAtOnce } from './database.ts'

export interface Repeating {
  readonly retryReads: boolean
  readonly retryWrites: boolean
}

interface Reply {
  readonly cursor: { readonly id: bigint; readonly firstBatch: readonly Uint8Array[] }
}

/** Reads without a cursor of the driver (7.8), which takes a third of the CPU of a small read. */
export function openReadAtOnce(db: Db, repeating: Repeating): ReadAtOnce {
  const { readConcern, readPreference } = db
  const options = { readPreference, fieldsAsRaw: { firstBatch: true }, useBigInt64: true }
  const nullOfLost = (error: unknown): null => {
    if (repeating.retryReads && isRepeated(error, repeating)) return null
    throw error
  }
  /** Collections with a result larger than one batch. They are read with a cursor from then on. */
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
    // If this fails, the server closes the cursor after its timeout.
    const kill = { killCursors: collection, cursors: [id] }
    db.command(kill, { readPreference }).catch(() => undefined)
    return null
  }
}

/** https://github.com/mongodb/specifications/blob/master/source/retryable-reads/retryable-reads.md */
const REPEATED: ReadonlySet<unknown> = new Set([
  6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
])
/** Servers without error codes report it in the message. */
const LOST = /not master|node is recovering/i

function isRepeated(error: unknown, { retryWrites }: Repeating): boolean {
  if (error instanceof MongoNetworkError || isBrokenSocket(error)) return true
  if (!(error instanceof MongoError)) return false
  if (isPlanKilled(error) || REPEATED.has(error.code) || LOST.test(error.message)) return true
  const isOverload = [MongoErrorLabel.SystemOverloadedError, MongoErrorLabel.RetryableError].every(
    (label) => error.hasErrorLabel(label),
  )
  return isOverload && !retryWrites // the driver retries raw commands if writes are retried
}
