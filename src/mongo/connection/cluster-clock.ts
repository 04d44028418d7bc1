import {
  type ClientSession,
  type ClusterTime,
  type Db,
  type MongoClient,
  MongoServerError,
  ReadConcern,
  Timestamp,
} from 'mongodb'
import { parseClusterTime, showClusterTime } from './cluster-time-text.ts'
import { COMMITS } from './commit-record.ts'
import type { Database } from './database.ts'
import { asCmsErrors } from './database-error.ts'

/** See `Database`. The newest known time is at least the time of each transaction of this process. */
export interface ClusterClock {
  readonly shown: Pick<Database, 'clusterTime' | 'judgeTime'>
  note(session: ClientSession): void
  /** For a time that was `reached`. Null if the database has no cluster time. */
  readConcernAfter(time: string): ReadConcern | null
}

/** Driver 7.8 sends all own members of a read concern. */
class CausalReadConcern extends ReadConcern {
  readonly afterClusterTime: Timestamp

  constructor(said: ReadConcern | undefined, afterClusterTime: Timestamp) {
    super('local')
    this.level = said?.level ?? this.level
    this.afterClusterTime = afterClusterTime
  }
}

const INVALID_OPTIONS = 72
const FAR_FUTURE = new Timestamp({ t: 2 ** 31 - 1, i: 1 })

/** A standalone server has no cluster time. */
export function openClusterClock(
  client: MongoClient,
  db: Db,
  known: { readonly isReplicated: boolean; readonly queryTimeoutMs: number },
): ClusterClock {
  const times = noteTimes(client)
  // Each transaction writes to this collection. On a sharded cluster, other shards may have older times.
  const read = { find: COMMITS, projection: { _id: 1 }, limit: 1, maxTimeMS: known.queryTimeoutMs }
  let causal: boolean | null = known.isReplicated ? null : false
  const askPrimary = (): Promise<void> =>
    client.withSession(async (session) => {
      await db.command(read, { session })
      times.note(session)
    })
  const isCausal = async (): Promise<boolean> => {
    if (causal !== null) return causal
    await askPrimary()
    return (causal = times.newest() !== null && (await refusesFuture(db, read)))
  }
  return {
    note: times.note,
    readConcernAfter: (text) => {
      const time = causal === true ? parseClusterTime(text) : null
      return time === null ? null : new CausalReadConcern(client.readConcern, time)
    },
    shown: {
      clusterTime: (asksPrimary) =>
        asCmsErrors(async () => {
          if (!(await isCausal())) return null
          if (asksPrimary) await askPrimary()
          const newest = times.newest()
          return newest === null ? null : showClusterTime(newest)
        }),
      judgeTime: (text) =>
        asCmsErrors(async () => {
          const time = parseClusterTime(text)
          if (time === null) return 'malformed'
          if (!(await isCausal())) return 'reached'
          if (isBefore(times.newest(), time)) await askPrimary()
          return isBefore(times.newest(), time) ? 'future' : 'reached'
        }),
    },
  }
}

function noteTimes(client: MongoClient) {
  let newest: Timestamp | null = null
  let gossip: ClusterTime | null = null
  gossipNewest(client, () => gossip)
  return {
    newest: () => newest,
    note: ({ operationTime, clusterTime }: ClientSession): void => {
      if (operationTime !== undefined && isBefore(newest, operationTime)) newest = operationTime
      if (clusterTime === undefined) return
      if (isBefore(gossip?.clusterTime ?? null, clusterTime.clusterTime)) gossip = clusterTime
    },
  }
}

function isBefore(one: Timestamp | null, other: Timestamp): boolean {
  return one === null || one.lessThan(other)
}

/** A database that accepts a time of the future ignores `afterClusterTime`. */
async function refusesFuture(db: Db, read: object): Promise<boolean> {
  const readConcern = { level: 'local', afterClusterTime: FAR_FUTURE }
  try {
    await db.command({ ...read, readConcern })
    return false
  } catch (error) {
    if (error instanceof MongoServerError) return error.code === INVALID_OPTIONS
    throw error
  }
}

/**
 * A member refuses `afterClusterTime` if it has not heard of the time yet. Driver 7.8 sends a member only the times that
 * came from the same connection or with the session.
 */
function gossipNewest(client: MongoClient, newest: () => ClusterTime | null): void {
  const startSession = client.startSession.bind(client)
  client.startSession = (options) => {
    const session = startSession(options)
    const time = newest()
    if (time !== null) session.clusterTime = time
    return session
  }
}
