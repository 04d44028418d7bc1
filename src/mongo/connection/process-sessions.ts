import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  type Binary,
  type ClientSession,
  type Collection,
  type MongoClient,
  MongoServerError,
} from 'mongodb'
import { MAJORITY_WRITES } from './connect.ts'

/** Names a session in which transactions run. */
export type SessionId = Binary

export function sessionIdOf({ id }: ClientSession): SessionId {
  return (id as { readonly id: Binary }).id
}

/** A process that runs transactions. */
export interface ProcessRow {
  readonly _id: string
  readonly host: string
  readonly pid: number
  /** Goes on while the process lives. A count and no time: clocks differ, and jump. */
  readonly beat: number
  /** Ids of the sessions that its transactions run in. */
  readonly sessions: readonly Binary[]
}

/**
 * Ends the transactions of processes that were killed. MongoDB keeps what such a transaction has written locked until
 * `transactionLifetimeLimitSeconds` (60) and the next look of its reaper are over, DocumentDB for as long; to end it frees
 * that at once (`endTransactions`; https://www.mongodb.com/docs/manual/reference/command/killSessions/).
 */
export interface ProcessSessions {
  /** Writes down that this process lives, again and again, and looks for others that do no longer. */
  start(): Promise<void>
  /** Runs a transaction whose session is written down beforehand, which is one write for each new session of the driver. */
  during<T>(session: ClientSession, work: () => Promise<T>): Promise<T>
  /** Looks for lost processes now, where the last look was not just now. Never rejects. */
  look(): Promise<void>
  close(): Promise<void>
}

export interface ProcessSessionsOptions {
  readonly client: MongoClient
  readonly database: string
  readonly maxTimeMS: number
  readonly onLost: (lost: ProcessRow) => void
  readonly beatMs?: number
  readonly lostMs?: number
}

const COLLECTION = 'quire_processes'
const BEAT_MS = 2_000
/** A process whose beat has stood still for so long is lost. One that lives all the same tries its transactions again. */
const LOST_MS = 10_000
/** Nor is it lost before it was looked at so often: after an outage of the database the beats of all have stood still. */
const LEAST_LOOKS = 3
/** As many as are written down; the driver has seldom more sessions than there are requests at once. */
const MOST_SESSIONS = 200
const COMMAND_NOT_FOUND = 59

interface KnownSession {
  readonly id: Binary
  isWritten: boolean
  underWay: number
}

export function openProcessSessions(options: ProcessSessionsOptions): ProcessSessions {
  const { client, database, maxTimeMS, beatMs = BEAT_MS } = options
  const rows = client.db(database).collection<ProcessRow>(COLLECTION, {
    readPreference: 'primary',
    writeConcern: MAJORITY_WRITES,
  })
  const own = ownRow(rows, maxTimeMS)
  const others = watchOthers(rows, own._id, options)
  let started: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const goOn = (): void => {
    timer = setTimeout(() => {
      void own
        .beat()
        .catch(() => undefined) // the next one will do
        .then(() => others.look())
        .finally(() => {
          if (timer !== undefined) goOn()
        })
    }, beatMs)
    timer.unref()
  }
  const start = (): Promise<void> => {
    started ??= own.write().then(goOn, (error: unknown) => {
      started = null
      throw error
    })
    return started
  }
  return {
    start,
    during: async (session, work) => {
      const entry = own.use(session)
      try {
        await start() // writes down those that are known
        if (!entry.isWritten) await own.write()
        return await work()
      } finally {
        entry.underWay -= 1
      }
    },
    look: () => others.look(beatMs / 4),
    close: async () => {
      clearTimeout(timer)
      timer = undefined
      if (started !== null) await own.remove().catch(() => undefined) // then others find it lost
    },
  }
}

/** What is written down of this process. */
function ownRow(rows: Collection<ProcessRow>, maxTimeMS: number) {
  const _id = randomUUID()
  const known = new Map<string, KnownSession>()
  let isRemoved = false

  const writeOnce = async (): Promise<void> => {
    if (isRemoved) return
    forgetOldest(known)
    const written = [...known.values()]
    const sessions = written.map(({ id }) => id)
    await rows.updateOne(
      { _id },
      { $set: { host: hostname(), pid: process.pid, sessions }, $inc: { beat: 1 } },
      { upsert: true, maxTimeMS },
    )
    for (const session of written) session.isWritten = true
  }
  const write = inTurn(writeOnce)
  return {
    _id,
    write,
    beat: async (): Promise<void> => {
      const { matchedCount } = await rows.updateOne({ _id }, { $inc: { beat: 1 } }, { maxTimeMS })
      if (matchedCount === 0) await write() // another has taken it for lost
    },
    /** The entry of a session that is under way from now on. */
    use: (session: ClientSession): KnownSession => {
      const id = sessionIdOf(session)
      const key = id.toString('hex')
      const entry = known.get(key) ?? { id, isWritten: false, underWay: 0 }
      known.delete(key) // what was used last comes last
      known.set(key, entry)
      entry.underWay += 1
      return entry
    },
    remove: async (): Promise<void> => {
      isRemoved = true
      await write() // those under way have ended then
      await rows.deleteOne({ _id }, { maxTimeMS })
    },
  }
}

/** Runs one after the other: those who ask while one is under way share the next. */
function inTurn(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let queued: Promise<void> | null = null
  return () => {
    queued ??= running
      .catch(() => undefined)
      .then(() => {
        queued = null
        const next = run()
        running = next
        return next
      })
    return queued
  }
}

function forgetOldest(known: Map<string, KnownSession>): void {
  for (const [key, { underWay }] of known) {
    if (known.size <= MOST_SESSIONS) return
    if (underWay === 0) known.delete(key)
  }
}

/** The beat of another process as it was first seen to be. */
interface Seen {
  readonly beat: number
  readonly sinceMs: number
  looks: number
}

function watchOthers(
  rows: Collection<ProcessRow>,
  self: string,
  { client, maxTimeMS, onLost, lostMs = LOST_MS }: ProcessSessionsOptions,
) {
  let seen = new Map<string, Seen>()
  let looking: Promise<void> | null = null
  let lookedAtMs = -Infinity

  const isLost = ({ sinceMs, looks }: Seen): boolean =>
    looks >= LEAST_LOOKS && performance.now() - sinceMs >= lostMs
  const end = async (row: ProcessRow): Promise<void> => {
    await endTransactions(client, row.sessions)
    const { deletedCount } = await rows.deleteOne({ _id: row._id, beat: row.beat }, { maxTimeMS })
    if (deletedCount === 1) onLost(row)
  }
  const lookOnce = async (): Promise<void> => {
    lookedAtMs = performance.now()
    const others = await rows.find({ _id: { $ne: self } }, { maxTimeMS }).toArray()
    const next = new Map<string, Seen>()
    for (const { _id, beat } of others) {
      const before = seen.get(_id)
      const isSame = before?.beat === beat
      next.set(_id, isSame ? before : { beat, sinceMs: performance.now(), looks: 0 })
    }
    seen = next
    for (const row of others) {
      const one = seen.get(row._id)
      if (one === undefined) continue
      one.looks += 1
      if (isLost(one)) await end(row)
    }
  }
  return {
    look: (leastMs = 0): Promise<void> => {
      if (looking !== null) return looking
      if (performance.now() - lookedAtMs < leastMs) return Promise.resolve()
      looking = lookOnce()
        .catch(() => undefined) // the database is away, and the next look is not far
        .finally(() => (looking = null))
      return looking
    },
  }
}

/**
 * Ends what transactions are under way in these sessions, whoever began them. MongoDB has `killSessions` for that, which
 * every user may send for sessions of his own.
 */
export async function endTransactions(client: MongoClient, ids: readonly Binary[]): Promise<void> {
  if (ids.length === 0) return // told to end none, MongoDB ends all that there are
  try {
    await client.db('admin').command({ killSessions: ids.map((id) => ({ id })) })
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === COMMAND_NOT_FOUND)) throw error
    for (const id of ids) await supersede(client, id)
  }
}

/**
 * DocumentDB (seen behind its gateway in 2026) has no such command, but a transaction that begins in a session ends the one
 * before it, from whatever connection and by whatever number. Whose transaction that was is told that it is gone, and may
 * begin the next.
 */
async function supersede(client: MongoClient, id: Binary): Promise<void> {
  const session = client.startSession()
  try {
    const { serverSession } = session
    serverSession.id = { id }
    serverSession.isDirty = true // not for the driver's pool: it is another's
    session.startTransaction()
    await client.db('admin').command({ ping: 1 }, { session })
    await session.abortTransaction()
  } finally {
    await session.endSession()
  }
}
