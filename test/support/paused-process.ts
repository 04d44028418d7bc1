import { expect } from 'chai'
import type { Db } from 'mongodb'
import type { Database } from '../../src/mongo/connection/database.ts'
import type { Base } from '../../src/server/services/open-base.ts'
import { wrapMethods } from './wrapped-database.ts'

/** Calls `pause` at certain commands, and waits for it. */
export type Pausing = (database: Database, pause: () => Promise<void>) => Database

export const beforeTransactions: Pausing = (database, pause) =>
  wrapMethods(database, (name, own) =>
    name !== 'transact'
      ? own
      : async (...parts: readonly unknown[]) => {
          await pause()
          return own(...parts)
        },
  )

interface PausedWork {
  readonly db: Db
  /** The database before the work. */
  readonly restore: () => Promise<void>
  readonly withBase: <T>(work: (base: Base) => Promise<T>) => Promise<T>
  /** The work of the paused process. */
  readonly work: (base: Base, database: Database) => Promise<unknown>
  /** The default is `beforeTransactions`. */
  readonly pausing?: Pausing
  /** Whether a pause counts. The default is always. */
  readonly isPaused?: (base: Base) => Promise<boolean>
  /** The work of another process during the pause. */
  readonly takeOver: (base: Base) => Promise<unknown>
  /** The rows that must stay as the other process leaves them. */
  readonly contentOf: () => Promise<unknown>
}

/**
 * Pauses a process at each place in turn, so long that it counts as killed and another process takes over. Expects that
 * it changes nothing afterwards. Returns the number of places.
 */
export async function pauseAtEach(paused: PausedWork): Promise<number> {
  for (let at = 1; ; at += 1) {
    const { failure, pauses, content } = await pauseAt(paused, at)
    if (pauses < at) {
      expect(failure, 'without a pause').to.equal('')
      return at - 1
    }
    expect(failure, `pause ${at}`).to.match(/another one has taken over/)
    expect(await paused.contentOf(), `pause ${at}`).to.deep.equal(content)
  }
}

async function pauseAt(paused: PausedWork, at: number) {
  const { db, work, takeOver, contentOf, pausing = beforeTransactions } = paused
  const { isPaused = () => Promise.resolve(true) } = paused
  let pauses = 0
  let content: unknown = null
  await paused.restore()
  const failure = await paused.withBase(async (base) => {
    const pause = async (): Promise<void> => {
      if (!(await isPaused(base))) return
      pauses += 1
      if (pauses !== at) return
      // They have expired.
      await db.collection('quire_leases').deleteMany({})
      await db.collection('quire_processes').deleteMany({})
      await takeOver(base)
      content = await contentOf()
    }
    return work(base, pausing(base.database, pause)).then(
      () => '',
      (error: unknown) => (error as Error).message,
    )
  })
  return { failure, pauses, content }
}
