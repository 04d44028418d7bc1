import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  type Binary,
  type ClientSession,
  type Collection,
  type MongoClient,
  MongoServerError,
} from 'mongodb'
import { shareNextByKey } from '../../base/share-by-key.ts'
import { MAJORITY_WRITES } from './connect.ts'
import type { SessionId } from './database.ts'

export function sessionIdOf({ id }: ClientSession): SessionId {
  return (id as { readonly id: Binary }).id
}

export interface ProcessRow {
  readonly _id: string
  readonly host: string
  readonly pid: number
  /** Grows while the process lives. A counter instead of a time, because clocks differ and jump. */
  readonly beat: number
  readonly sessions: readonly Binary[]
  /** The digest of its declarations. Missing for commands, and for servers from before conversions. */
  readonly release?: string
}

/**
 * Ends transactions of killed processes. The database would hold their locks for 60 seconds or longer.
 * https://www.mongodb.com/docs/manual/reference/command/killSessions/
 */
export interface ProcessSessions {
  /** @param assertCurrent called after others have counted this process as killed. Its error refuses all later work */
  start(release?: string, assertCurrent?: () => Promise<void>): Promise<void>
  /** Undefined if no other process can have counted this one as killed. @throws the error of `assertCurrent` */
  confirm(): Promise<void> | undefined
  /** Runs a transaction after registering its session. */
  during<T>(session: ClientSession, work: () => Promise<T>): Promise<T>
  /** Looks for lost processes unless the last look was very recent. Never rejects. */
  look(): Promise<void>
  findOtherReleases(release: string): Promise<readonly string[]>
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
/** A process without a new beat for this time is lost. If it is still alive, it retries its transactions. */
const LOST_MS = 10_000
/** Minimum number of looks before a process is lost. After an outage of the database, all beats are old. */
const LEAST_LOOKS = 3
/** Maximum number of registered sessions. The driver rarely has more sessions than concurrent requests. */
const MAX_SESSIONS = 200
/** The share of `LOST_MS` after a beat in which no other process can treat this one as lost, whatever its clock. */
const SURE_SHARE = 0.8
const COMMAND_NOT_FOUND = 59

interface KnownSession {
  readonly id: Binary
  isWritten: boolean
  underWay: number
}

export function openProcessSessions(options: ProcessSessionsOptions): ProcessSessions {
  const { client, database, maxTimeMS, beatMs = BEAT_MS, lostMs = LOST_MS } = options
  const rows = client.db(database).collection<ProcessRow>(COLLECTION, {
    readPreference: 'primary',
    writeConcern: MAJORITY_WRITES,
  })
  const own = ownRow(rows, maxTimeMS)
  const others = watchOthers(rows, own._id, options)
  let started: Promise<void> | null = null
  const confirming = confirmRow(own, lostMs * SURE_SHARE)
  const beats = repeat(beatMs, () =>
    confirming
      .beat()
      .catch(() => undefined) // retried at the next beat
      .then(() => others.look()),
  )
  const start: ProcessSessions['start'] = async (release, assert) => {
    if (assert !== undefined) confirming.checkBy(assert)
    const isOutdated = own.setRelease(release) && started !== null
    started ??= own.write().then(beats.begin, (error: unknown) => {
      started = null
      throw error
    })
    await started
    if (isOutdated) await own.write()
  }
  return {
    start,
    during: async (session, work) => {
      const entry = own.use(session)
      try {
        await start() // registers all known sessions
        if (!entry.isWritten) await own.write()
        return await work()
      } finally {
        entry.underWay -= 1
      }
    },
    confirm: confirming.confirm,
    look: () => others.look(beatMs / 4),
    findOtherReleases: (release) => others.findReleases(release, beatMs / 4),
    close: async () => {
      beats.end()
      if (started !== null) await own.remove().catch(() => undefined) // otherwise another process removes the row as lost
    },
  }
}

function confirmRow(own: ReturnType<typeof ownRow>, sureMs: number) {
  const { presence } = own
  let assertCurrent: (() => Promise<void>) | null = null
  const share = shareNextByKey<'beat', void>()
  /** The row is written first, so that a release that converts values afterwards waits for this process. */
  const beat = async (): Promise<void> => {
    await own.beat()
    const removals = presence.removals()
    if (assertCurrent === null || removals === 0) return
    await assertCurrent()
    presence.forgetRemovals(removals)
  }
  return {
    beat,
    checkBy: (assert: () => Promise<void>): void => {
      assertCurrent = assert
    },
    confirm: (): Promise<void> | undefined =>
      assertCurrent === null || presence.isSure(sureMs) ? undefined : share('beat', beat),
  }
}

/** Waits between the end of a call and the next one. */
function repeat(everyMs: number, work: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined
  const begin = (): void => {
    timer = setTimeout(() => {
      void work().finally(() => {
        if (timer !== undefined) begin()
      })
    }, everyMs)
    timer.unref()
  }
  return {
    begin,
    end: (): void => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

function ownRow(rows: Collection<ProcessRow>, maxTimeMS: number) {
  const _id = randomUUID()
  const known = new Map<string, KnownSession>()
  let isRemoved = false
  let named: { readonly release?: string } = {}
  const presence = trackPresence()
  const writeOnce = async (): Promise<void> => {
    if (isRemoved) return
    forgetOldest(known)
    const written = [...known.values()]
    const sessions = written.map(({ id }) => id)
    const sent = moment()
    const { upsertedCount } = await rows.updateOne(
      { _id },
      { $set: { host: hostname(), pid: process.pid, sessions, ...named }, $inc: { beat: 1 } },
      { upsert: true, maxTimeMS },
    )
    presence.note(sent, upsertedCount > 0)
    for (const session of written) session.isWritten = true
  }
  const share = shareNextByKey<string, void>()
  const write = (): Promise<void> => share(_id, writeOnce)
  return {
    _id,
    presence,
    write,
    setRelease: (release: string | undefined): boolean => {
      if (release === undefined || named.release === release) return false
      named = { release }
      return true
    },
    beat: async (): Promise<void> => {
      const sent = moment()
      const { matchedCount } = await rows.updateOne({ _id }, { $inc: { beat: 1 } }, { maxTimeMS })
      if (matchedCount === 0) await write()
      else presence.note(sent, false)
    },
    use: (session: ClientSession): KnownSession => useSession(known, session),
    remove: async (): Promise<void> => {
      isRemoved = true
      await write() // waits for pending writes
      await rows.deleteOne({ _id }, { maxTimeMS })
    },
  }
}

function useSession(known: Map<string, KnownSession>, session: ClientSession): KnownSession {
  const id = sessionIdOf(session)
  const key = id.toString('hex')
  const entry = known.get(key) ?? { id, isWritten: false, underWay: 0 }
  known.delete(key) // reinserted, so that the most recently used session comes last
  known.set(key, entry)
  entry.underWay += 1
  return entry
}

/** Whether other processes may have removed the row as that of a lost process. */
function trackPresence() {
  let known: Moment | null = null
  let removals = 0
  return {
    /** @param sent when the command was sent that has found or inserted the row */
    note: (sent: Moment, isInserted: boolean): void => {
      if (isInserted && known !== null) removals += 1
      known = sent
    },
    isSure: (forMs: number): boolean => removals === 0 && known !== null && isWithin(known, forMs),
    /** The number of removals without a successful check. */
    removals: (): number => removals,
    /** A later removal needs a check of its own. */
    forgetRemovals: (checked: number): void => {
      if (removals === checked) removals = 0
    },
  }
}

interface Moment {
  readonly ms: number
  readonly wallMs: number
}

function moment(): Moment {
  return { ms: performance.now(), wallMs: Date.now() }
}

/** By both clocks: the monotonic one stands still while the machine is suspended, and the other may be set back. */
function isWithin({ ms, wallMs }: Moment, forMs: number): boolean {
  return performance.now() - ms < forMs && Date.now() - wallMs < forMs
}

function forgetOldest(known: Map<string, KnownSession>): void {
  for (const [key, { underWay }] of known) {
    if (known.size <= MAX_SESSIONS) return
    if (underWay === 0) known.delete(key)
  }
}

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
  const look = (leastMs = 0): Promise<void> => {
    if (looking !== null) return looking
    if (performance.now() - lookedAtMs < leastMs) return Promise.resolve()
    looking = lookOnce()
      .catch(() => undefined) // the database is unreachable; the next look follows soon
      .finally(() => (looking = null))
    return looking
  }
  return {
    look,
    findReleases: async (release: string, leastMs: number): Promise<readonly string[]> => {
      await look(leastMs)
      const filter = { _id: { $ne: self }, release: { $ne: release } }
      const found = await rows.find(filter, { maxTimeMS }).toArray()
      return found.map(({ host, pid }) => `${host} (process ${pid})`)
    },
  }
}

/** Ends the open transactions of these sessions. `killSessions` needs no privilege for a user's own sessions. */
export async function endTransactions(client: MongoClient, ids: readonly Binary[]): Promise<void> {
  if (ids.length === 0) return // an empty list would end all sessions
  try {
    await client.db('admin').command({ killSessions: ids.map((id) => ({ id })) })
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === COMMAND_NOT_FOUND)) throw error
    for (const id of ids) await supersede(client, id)
  }
}

/** DocumentDB has no `killSessions` (2026). There a new transaction in a session aborts the previous one. */
async function supersede(client: MongoClient, id: Binary): Promise<void> {
  const session = client.startSession()
  try {
    const { serverSession } = session
    serverSession.id = { id }
    serverSession.isDirty = true // keeps the session, which belongs to another process, out of the driver's pool
    session.startTransaction()
    await client.db('admin').command({ ping: 1 }, { session })
    await session.abortTransaction()
  } finally {
    await session.endSession()
  }
}
