import { setTimeout as delay } from 'node:timers/promises'
import { ServiceUnavailableError } from '../../errors.ts'
import { asCmsErrors, isDuplicateKey } from '../connection/database-error.ts'
import type { Database, Session } from '../connection/database.ts'
import { ensureRow } from './system-collections.ts'

/** How long a process goes by what it read before it asks whether it still holds. */
const RECHECK_AFTER_MS = 1_000

/** How long a change that others overtake is tried again. */
const PATIENCE_MS = 10_000

const COLLECTION = 'quire_stamps'

interface StampRow {
  readonly _id: string
  readonly number: number
}

/**
 * A small set of rows that every request reads and that hardly ever changes, kept in the process. A
 * stamp in the database moves with every change of the rows: at most once a second, on use, one small
 * query asks whether it has, so that all processes see a change within a second.
 */
export interface VersionedCache<T> {
  /** What was loaded; at most a second behind the database, never behind this process's own changes. */
  current(): Promise<T>
  /**
   * Runs `work` in a transaction that moves the stamp last, and again where another change has moved it meanwhile: so what
   * one has checked still holds when it is committed, and a process that is killed in the middle has locked nothing that
   * others need. `change` is a number that no other change gets, from which new rows take their ids.
   * @throws ServiceUnavailableError when others were first for ten seconds.
   */
  change<R>(work: (session: Session, change: number) => Promise<R>): Promise<R>
}

export interface VersionedCacheOptions<T> {
  readonly db: Database
  readonly key: string
  /** The number of the stamp at first: ids up to it belong to rows that exist from the start. */
  readonly firstChange: number
  /** Reads the rows, by majority: a stamp that a failover takes back may come again with other rows. */
  readonly load: (db: Database) => Promise<T>
  readonly now: () => Date
}

/** Creates the stamp unless it exists. Call it when the rows that exist from the start do. */
export async function openVersionedCache<T>(
  options: VersionedCacheOptions<T>,
): Promise<VersionedCache<T>> {
  const { db, key, firstChange } = options
  const stamps = db.collection<StampRow>(COLLECTION)
  await ensureRow(stamps, { _id: key, number: firstChange })
  const readStamp = async (): Promise<number> => {
    const row = await db.majority
      .collection<StampRow>(COLLECTION)
      .findOne({ _id: key }, { maxTimeMS: db.queryTimeoutMs })
    return row?.number ?? 0
  }
  const cache = cacheBy({
    readStamp: () => asCmsErrors(readStamp),
    load: () => {
      db.monitor?.countCacheLoad(key)
      return asCmsErrors(() => options.load(db.majority))
    },
    now: options.now,
  })
  return {
    current: () => cache.current(),
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

/** Another change was committed between what this one read and what it wrote. */
class Overtaken extends Error {}

async function changeOnce<R>(
  db: Database,
  key: string,
  session: Session,
  work: (session: Session, change: number) => Promise<R>,
): Promise<R> {
  const stamps = db.collection<StampRow>(COLLECTION)
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
  // Without transactions what `work` has written would stay: there the number is taken beforehand.
  if (!session.inTransaction()) {
    await move()
    return work(session, number)
  }
  const result = await work(session, number)
  await db.writeCommit(session)
  await move()
  return result
}

/** Two changes that insert a row of one number collide before either moves the stamp. */
async function untilNotOvertaken<R>(change: () => Promise<R>): Promise<R> {
  const deadline = performance.now() + PATIENCE_MS
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
  readonly stamp: number
  readonly value: T
  readonly checkedAtMs: number
}

/** The stamp is read before the rows, so that a change between the two is found by the next check. */
function cacheBy<T>({ readStamp, load, now }: CacheSource<T>) {
  let loaded: Loaded<T> | null = null
  let checking: Promise<T> | null = null
  let epoch = 0

  const check = async (startedIn: number): Promise<T> => {
    const checkedAtMs = now().getTime()
    try {
      const stamp = await readStamp()
      const value = loaded?.stamp === stamp ? loaded.value : await load()
      if (startedIn === epoch) loaded = { stamp, value, checkedAtMs }
      return value
    } finally {
      if (startedIn === epoch) checking = null
    }
  }
  /** A clock set back must not keep what is old for ever. */
  const isFresh = ({ checkedAtMs }: Loaded<T>): boolean => {
    const age = now().getTime() - checkedAtMs
    return age >= 0 && age < RECHECK_AFTER_MS
  }
  return {
    current: (): Promise<T> => {
      if (loaded !== null && isFresh(loaded)) return Promise.resolve(loaded.value)
      checking ??= check(epoch)
      return checking
    },
    /** A check that is under way may have read what was before: nothing of it is kept. */
    forget: (): void => {
      epoch += 1
      loaded = null
      checking = null
    },
  }
}
