import { createHash } from 'node:crypto'
import { RateLimitError, UnauthorizedError } from '../../base/errors.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import type { Table } from '../../mongo/connection/table.ts'
import { lockName } from '../../mongo/system/lease.ts'
import { ensureIndexes, increment } from '../../mongo/system/system-collections.ts'

export interface AnonymousLimits {
  /** New users of one network in a day. */
  readonly perNetwork: number
  readonly max: number
  /** Users without activity for this time are deleted. */
  readonly days: number
}

/** Which anonymous users are stored, and which tokens are invalid although no user has their id. */
export interface AnonymousUsers {
  /** Counts a new token. @throws RateLimitError */
  admit(network: string): Promise<void>
  stateOf(documentId: string): Promise<'unused' | 'stored' | 'ended'>
  /** Notes a stored user. Returns false if it was noted before. @throws RateLimitError, UnauthorizedError */
  add(documentId: string, session: Session): Promise<boolean>
  /** The users are deleted or no longer anonymous. Ignores others. */
  end(documentIds: readonly string[], session: Session): Promise<void>
  /** Makes the tokens of a user invalid that was never stored. */
  endUnused(documentId: string, session: Session): Promise<void>
  noteActivity(documentId: string): Promise<void>
  findIdle(limit: number): Promise<readonly string[]>
  /** Returns the ones that are still idle, and blocks their activity until the transaction ends. */
  holdIdle(documentIds: readonly string[], session: Session): Promise<readonly string[]>
  /** Deletes notes of users whose tokens have expired. */
  sweep(): Promise<void>
}

interface AnonymousRow {
  readonly _id: string
  readonly activeAt: Date
  readonly endedAt: Date | null
}

interface NetworkRow {
  readonly _id: string
  readonly count: number
  readonly expiresAt: Date
}

export interface AnonymousUsersOptions {
  readonly db: Database
  readonly secret: string
  readonly limits: AnonymousLimits
  readonly now: () => Date
}

const DAY_MS = 86_400_000
const ACTIVITY_INTERVAL_MS = 3_600_000
/** Longer than the life of every token. */
const ENDED_DAYS = 32

export async function openAnonymousUsers(options: AnonymousUsersOptions): Promise<AnonymousUsers> {
  const { db, limits, now } = options
  const rows = db.table<AnonymousRow>('quire_anonymous_users')
  await ensureIndexes(rows, [{ key: { endedAt: 1, activeAt: 1 }, name: 'state' }])
  const admit = await openNetworks(options)
  const notedAt = new Map<string, number>()
  const ended = () => ({ $set: { endedAt: now() } })
  return {
    admit,
    stateOf: async (_id) => {
      const row = await rows.findOne({ _id })
      if (row === null) return 'unused'
      return row.endedAt === null ? 'stored' : 'ended'
    },
    add: async (_id, session) => {
      await lockName(db, 'anonymous users', session)
      const row = await rows.findOne({ _id }, { session })
      if (row !== null && row.endedAt !== null) throw new UnauthorizedError('Invalid credentials')
      if (row !== null) return false
      const { max } = limits
      const stored = await rows.countDocuments({ endedAt: null }, { session, limit: max })
      if (stored >= max) throw new RateLimitError('There are too many anonymous users', 3_600)
      await rows.insertOne({ _id, activeAt: now(), endedAt: null }, { session })
      return true
    },
    end: async (ids, session) => {
      await rows.updateMany({ _id: { $in: [...ids] }, endedAt: null }, ended(), { session })
    },
    endUnused: async (_id, session) => {
      const change = { ...ended(), $setOnInsert: { activeAt: now() } }
      await rows.updateOne({ _id }, change, { session, upsert: true })
    },
    noteActivity: async (_id) => {
      const at = now()
      if (at.getTime() - (notedAt.get(_id) ?? -Infinity) < ACTIVITY_INTERVAL_MS) return
      if (notedAt.size >= MAX_NOTED) notedAt.clear()
      notedAt.set(_id, at.getTime())
      await rows.updateOne({ _id, endedAt: null }, { $max: { activeAt: at } })
    },
    ...idleUsers(rows, options),
  }
}

function idleUsers(
  rows: Table<AnonymousRow>,
  { limits, now }: AnonymousUsersOptions,
): Pick<AnonymousUsers, 'findIdle' | 'holdIdle' | 'sweep'> {
  const idleSince = () => ({ $lt: new Date(now().getTime() - limits.days * DAY_MS) })
  return {
    findIdle: async (limit) => {
      const idle = { endedAt: null, activeAt: idleSince() }
      const found = await rows.find(idle, { projection: { _id: 1 }, limit }).toArray()
      return found.map(({ _id }) => _id)
    },
    holdIdle: async (ids, session) => {
      const idle = { _id: { $in: [...ids] }, endedAt: null, activeAt: idleSince() }
      const found = await rows.find(idle, { session, projection: { _id: 1 } }).toArray()
      const held = found.map(({ _id }) => _id)
      await rows.updateMany({ _id: { $in: held } }, { $set: { endedAt: now() } }, { session })
      return held
    },
    sweep: async () => {
      const before = new Date(now().getTime() - ENDED_DAYS * DAY_MS)
      await rows.deleteMany({ endedAt: { $ne: null, $lt: before } })
    },
  }
}

/** Limits the memory of a process. */
const MAX_NOTED = 100_000

/** Networks are stored as salted hashes, and deleted after their day. */
async function openNetworks({ db, secret, limits, now }: AnonymousUsersOptions) {
  const counters = db.table<NetworkRow>('quire_anonymous_networks')
  await ensureIndexes(counters, [{ key: { expiresAt: 1 }, name: 'expiresAt' }])
  return async (network: string): Promise<void> => {
    const at = now().getTime()
    const day = Math.floor(at / DAY_MS)
    const expiresAt = new Date((day + 1) * DAY_MS)
    await counters.deleteMany({ expiresAt: { $lte: new Date(at) } })
    const _id = createHash('sha256')
      .update(JSON.stringify([secret, 'anonymous', network, day]))
      .digest('hex')
    const row = { _id, count: 0, expiresAt }
    const count = await increment(counters, row, { field: 'count', by: 1 })
    if (count <= limits.perNetwork) return
    const seconds = Math.ceil((expiresAt.getTime() - at) / 1_000)
    throw new RateLimitError('There are too many new anonymous users in this network', seconds)
  }
}
