import { setTimeout as delay } from 'node:timers/promises'
import { ServiceUnavailableError } from '../../base/errors.ts'
import { shareByKey, shareNextByKey } from '../../base/share-by-key.ts'
import { isDuplicateKey } from '../connection/database-error.ts'
import type { Database, Session } from '../connection/database.ts'
import { ensureRow } from './system-collections.ts'

const RECHECK_AFTER_MS = 1_000

const MAX_WAIT_MS = 10_000

const COLLECTION = 'quire_stamps'

interface StampRow {
  readonly _id: string
  readonly number: number
}

/** A cache of rows that rarely change. Changes increment a stamp, which processes check once per second. */
export interface VersionedCache<T> {
  current(): Promise<T>
  /** Checks the stamp again, so the result has every change that was committed before this call. */
  latest(): Promise<T>
  /**
   * Runs `work` in a transaction, and again after a conflict. `change` is a unique number for ids of new rows.
   * @throws ServiceUnavailableError after ten seconds of conflicts
   */
  change<R>(work: (session: Session, change: number) => Promise<R>): Promise<R>
}

export interface VersionedCacheOptions<T> {
  readonly db: Database
  readonly key: string
  readonly firstChange: number
  /** Majority reads: a failover may roll back a stamp and reuse it for other rows. */
  readonly load: (db: Database) => Promise<T>
  readonly now: () => Date
}

export async function openVersionedCache<T>(
  options: VersionedCacheOptions<T>,
): Promise<VersionedCache<T>> {
  const { db, key, firstChange } = options
  const stamps = db.table<StampRow>(COLLECTION)
  await ensureRow(stamps, { _id: key, number: firstChange })
  const readStamp = async (): Promise<number> => {
    const row = await db.majority.table<StampRow>(COLLECTION).findOne({ _id: key })
    return row?.number ?? 0
  }
  const cache = cacheBy({
    readStamp,
    load: () => {
      db.monitor?.countCacheLoad(key)
      return options.load(db.majority)
    },
    now: options.now,
  })
  return {
    current: () => cache.current(),
    latest: () => cache.latest(),
    change: async (work) => {
      try {
        return await untilNotOvertaken(() =>
          db.transact((session) => changeOnce(db, key, session, work)),
        )
      } finally {
        cache.forget()
      }
    },
  }
}

class Overtaken extends Error {}

async function changeOnce<R>(
  db: Database,
  key: string,
  session: Session,
  work: (session: Session, change: number) => Promise<R>,
): Promise<R> {
  const stamps = db.table<StampRow>(COLLECTION)
  const stamp = await stamps.findOne({ _id: key }, { session })
  if (stamp === null) throw new Error(`The stamp ${key} is gone from ${COLLECTION}`)
  const number = stamp.number + 1
  const move = async (): Promise<void> => {
    const { matchedCount } = await stamps.updateOne(
      { _id: key, number: stamp.number },
      { $set: { number } },
      { session },
    )
    if (matchedCount === 0) throw new Overtaken()
  }
  // Without transactions `work` cannot be rolled back, so the number is claimed first.
  if (!session.inTransaction()) {
    await move()
    return work(session, number)
  }
  const result = await work(session, number)
  await db.writeCommit(session)
  await move()
  return result
}

/** A duplicate key is also a conflict: two changes with the same number may insert the same id. */
async function untilNotOvertaken<R>(change: () => Promise<R>): Promise<R> {
  const deadline = performance.now() + MAX_WAIT_MS
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change()
    } catch (error) {
      if (!(error instanceof Overtaken || isDuplicateKey(error))) throw error
      if (performance.now() > deadline) {
        throw new ServiceUnavailableError('Too many concurrent changes', {}, { cause: error })
      }
    }
    await delay(Math.random() * Math.min(5 * 1.5 ** attempt, 200))
  }
}

interface CacheSource<T> {
  readonly readStamp: () => Promise<number>
  readonly load: () => Promise<T>
  readonly now: () => Date
}

interface Loaded<T> {
  /** A later check has a greater number, even if the clock was set back. */
  readonly number: number
  readonly stamp: number
  readonly value: T
  readonly checkedAtMs: number
}

/** Reads the stamp before the rows, so that the next check detects a change in between. */
function cacheBy<T>({ readStamp, load, now }: CacheSource<T>) {
  let loaded: Loaded<T> | null = null
  const shareCheck = shareByKey<number, T>()
  const shareLatest = shareNextByKey<number, T>()
  let epoch = 0

  let checks = 0
  const check = async (startedIn: number): Promise<T> => {
    checks += 1
    const number = checks
    const checkedAtMs = now().getTime()
    const stamp = await readStamp()
    const value = loaded?.stamp === stamp ? loaded.value : await load()
    const isNewest = loaded === null || number > loaded.number
    if (startedIn === epoch && isNewest) loaded = { stamp, value, checkedAtMs, number }
    return value
  }
  /** A negative age means that the clock was set back. */
  const isFresh = ({ checkedAtMs }: Loaded<T>): boolean => {
    const age = now().getTime() - checkedAtMs
    return age >= 0 && age < RECHECK_AFTER_MS
  }
  return {
    current: (): Promise<T> => {
      if (loaded !== null && isFresh(loaded)) return Promise.resolve(loaded.value)
      return shareCheck(epoch, () => check(epoch))
    },
    latest: (): Promise<T> => {
      const startedIn = epoch
      return shareLatest(startedIn, () => check(startedIn))
    },
    /** Discards pending checks as well, because they may have read old rows. */
    forget: (): void => {
      epoch += 1
      loaded = null
    },
  }
}
