import { type Document, Long, MongoServerError } from 'mongodb'
import type { Database } from '../connection/database.ts'

export type ResumeToken = Document

const UNSUPPORTED = new Set([
  13, // Unauthorized: the user lacks the action `changeStream`
  40324, // the stage is unknown
  40573, // no replica set
  115, // CommandNotSupported
])

/** The newest position of the database. Null if it has no change streams. @throws CmsError for database errors */
export async function readNewestToken(
  database: Pick<Database, 'command'>,
): Promise<ResumeToken | null> {
  try {
    const pipeline = [{ $changeStream: {} }]
    const opened = await database.command({ aggregate: 1, pipeline, cursor: { batchSize: 0 } })
    const { id, ns, postBatchResumeToken } = opened['cursor'] as OpenedCursor
    await database.command({
      killCursors: ns.slice(ns.indexOf('.') + 1),
      cursors: [Long.fromValue(id)],
    })
    return postBatchResumeToken ?? null
  } catch (error) {
    if (error instanceof MongoServerError && UNSUPPORTED.has(Number(error.code))) return null
    throw error
  }
}

interface OpenedCursor {
  readonly id: Long
  readonly ns: string
  readonly postBatchResumeToken?: ResumeToken
}

const LOST = new Set([
  260, // InvalidResumeToken
  280, // ChangeStreamFatalError
  286, // ChangeStreamHistoryLost
  10334, // an event is larger than 16 MB
])

/** True if the stream cannot continue from its token. */
export function isHistoryLost(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false
  return LOST.has(Number(error.code)) || error.hasErrorLabel('NonResumableChangeStreamError')
}

/** Views have no change streams. */
export async function findViews(
  database: Pick<Database, 'command'>,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const filter = { name: { $in: [...names] }, type: 'view' }
  const { cursor } = await database.command({ listCollections: 1, filter, nameOnly: true })
  const { firstBatch } = cursor as { firstBatch: readonly { name: string }[] }
  return new Set(firstBatch.map(({ name }) => name))
}
