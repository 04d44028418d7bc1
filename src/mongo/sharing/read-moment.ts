import { type ClientSession, type Document, type MongoClient, MongoServerError } from 'mongodb'

/** SnapshotTooOld, SnapshotUnavailable: an index was built, or the snapshot history has expired. */
const SNAPSHOT_LOST: ReadonlySet<unknown> = new Set([239, 246])
/** InvalidOptions, CommandNotSupported, NotAReplicaSet, NotImplemented: the database has no snapshot reads. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set([72, 115, 123, 238, 303])

/** A small collection that exists after the first start. */
const PROBED = 'quire_heads'

export interface MomentSource<Source> {
  readonly hasTransactions: boolean
  readonly majority: Source
  command(command: Document): Promise<Document>
}

export interface MomentOf<Source> {
  readonly database: Source
  readonly session: ClientSession | undefined
}

export type ReadMoment<Source> = <T>(work: (moment: MomentOf<Source>) => Promise<T>) => Promise<T>

/** See `Database.readMoment`. */
export function openMoments<Source extends MomentSource<Source>>(
  client: MongoClient,
  database: Source,
): ReadMoment<Source> {
  let hasSnapshots: boolean | null = null
  const probe = async (): Promise<boolean> =>
    (hasSnapshots ??= database.hasTransactions && (await supportsSnapshots(database)))
  const readOnce: ReadMoment<Source> = async (work) =>
    (await probe())
      ? client.withSession({ snapshot: true }, (session) => work({ database, session }))
      : work({ database: database.majority, session: undefined })
  return async (work) => {
    try {
      return await readOnce(work)
    } catch (error) {
      if (!isSnapshotLost(error)) throw error
      return readOnce(work)
    }
  }
}

/** Read errors are driver errors, or have one as their cause. */
function isSnapshotLost(error: unknown): boolean {
  const reason = error instanceof Error && 'code' in error ? error : undefined
  const cause = error instanceof Error ? error.cause : undefined
  return [reason, cause].some(
    (one) => one instanceof MongoServerError && SNAPSHOT_LOST.has(one.code),
  )
}

/** DocumentDB (seen behind its gateway in 2026) accepts the read concern but ignores it. */
async function supportsSnapshots<Source>(database: MomentSource<Source>): Promise<boolean> {
  const readConcern = { level: 'snapshot' }
  try {
    const reply = await database.command({ find: PROBED, limit: 1, readConcern })
    const cursor: unknown = reply['cursor']
    return typeof cursor === 'object' && cursor !== null && 'atClusterTime' in cursor
  } catch (error) {
    if (error instanceof MongoServerError && UNSUPPORTED.has(error.code)) return false
    throw error
  }
}
