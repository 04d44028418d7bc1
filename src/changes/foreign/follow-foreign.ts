import { setTimeout as delay } from 'node:timers/promises'
import { isHistoryLost, readNewestToken } from '../../mongo/adopted/change-streams.ts'
import { SYSTEM } from '../../mongo/connection/authorship.ts'
import { noteItems } from '../../mongo/connection/commit-record.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { openRowLease, type RowLease } from '../../mongo/system/row-lease.ts'
import type { Schema } from '../../schema/plan.ts'
import { beginFollowing } from './begin-following.ts'
import { readForeignChanges, timeOfEvent } from './foreign-items.ts'
import { examineForeign, type ForeignHealth } from './foreign-health.ts'
import { FOREIGN, followedIn, type ForeignRow, foreignRowsOf, noteLost } from './foreign-row.ts'
import { type ForeignBatch, openForeignStream } from '../../mongo/adopted/foreign-stream.ts'

export interface ForeignFollowerOptions {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly findOthers: () => Promise<readonly string[]>
  readonly now: () => Date
  /** The database no longer has the changes since the last batch. */
  readonly onLost: (types: readonly string[]) => void
  readonly onBackgroundError: (error: unknown) => void
}

export interface ForeignFollower {
  /** Null if no collection is followed. */
  readonly health: (() => Promise<ForeignHealth>) | null
  close(): Promise<void>
}

/** Short, so that another process soon continues after a kill. A batch renews it, at least once a second. */
const LEASE_MS = 3_000
const REST_MS = 500

/**
 * Writes the changes that other services make to adopted collections to the commit log. One process at a time does it.
 * Each batch is a commit without contents, in one transaction with the position of the stream.
 */
export async function openForeignFollower(
  options: ForeignFollowerOptions,
): Promise<ForeignFollower> {
  const { database, schema, now } = options
  const followed = followedIn(schema)
  if (followed.length === 0) return { health: null, close: () => Promise.resolve() }
  await beginFollowing({ ...options, followed })
  const follower = new Follower(options)
  const running = follower.run()
  return {
    health: () => examineForeign(database, now()),
    close: async () => {
      follower.stop()
      await running
    },
  }
}

class Follower {
  readonly #options: ForeignFollowerOptions
  readonly #lease: RowLease<ForeignRow>
  readonly #stopping = new AbortController()

  constructor(options: ForeignFollowerOptions) {
    this.#options = options
    const { database, now } = options
    const rows = foreignRowsOf(database)
    this.#lease = openRowLease(rows, FOREIGN._id, { leaseMs: LEASE_MS, now })
  }

  stop(): void {
    this.#stopping.abort()
  }

  async run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        const row = await this.#lease.claim()
        if (row !== null) await this.#follow(row)
      } catch (error) {
        this.#options.onBackgroundError(error)
      }
      await delay(REST_MS, undefined, { signal }).catch(() => undefined)
    }
    await this.#lease.release().catch(this.#options.onBackgroundError)
  }

  /** Returns when it is stopped, another process follows, or other collections are followed. */
  async #follow(row: ForeignRow): Promise<void> {
    const names = row.collections.map(({ collection }) => collection)
    const stream = openForeignStream(this.#options.database, names, row.token)
    const stop = (): void => void stream.close().catch(() => undefined)
    this.#stopping.signal.addEventListener('abort', stop)
    try {
      while (!this.#stopping.signal.aborted) {
        if (!(await this.#store(row, await stream.next()))) return
      }
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      if (!isHistoryLost(error)) throw error
      await this.#restart(row)
    } finally {
      this.#stopping.signal.removeEventListener('abort', stop)
      await stream.close()
    }
  }

  /** False if the row belongs to another process, or has other collections. */
  #store(row: ForeignRow, { events, token }: ForeignBatch): Promise<boolean> {
    const last = events.at(-1)
    const at = (last && timeOfEvent(last)) ?? this.#options.now()
    const { items, lost } = readForeignChanges(events, row.collections)
    const isQuiet = items.length === 0 && lost.size === 0
    const note = (session: Session): void => {
      noteItems(session, items)
      noteLost(session, lost)
    }
    return this.#move(row, { token, at }, isQuiet ? null : note)
  }

  /** The new stream begins before the types are read again, so that no change is between them. */
  async #restart(row: ForeignRow): Promise<void> {
    const { database, onLost, now } = this.#options
    const token = await readNewestToken(database)
    if (token === null) throw new Error('the database has no change streams any more')
    const types = [...new Set(row.collections.map(({ type }) => type))]
    const isMoved = await this.#move(row, { token, at: now() }, (session) =>
      noteLost(session, types),
    )
    if (isMoved) onLost(types)
  }

  #move(
    { version }: ForeignRow,
    place: Pick<ForeignRow, 'token' | 'at'>,
    note: ((session: Session) => void) | null,
  ): Promise<boolean> {
    const { database, now } = this.#options
    const held = { ...FOREIGN, holder: this.#lease.holder, version }
    const heldUntil = new Date(now().getTime() + LEASE_MS)
    const work = async (session?: Session): Promise<boolean> => {
      const set = { $set: { ...place, heldUntil } }
      const { matchedCount } = await foreignRowsOf(database).updateOne(held, set, { session })
      if (matchedCount === 0) return false
      if (session !== undefined) note?.(session)
      return true
    }
    return note === null ? work() : database.transact(work, SYSTEM)
  }
}
