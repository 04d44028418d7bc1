import { ConfigError } from '../../base/errors.ts'
import type { Database, Session } from '../connection/database.ts'

/**
 * An unfinished rewrite of all rows. A lease cannot stop a process that sleeps beyond its end and then writes. Such a
 * process finds another `run` in this row, and stops.
 */
export interface RunRow {
  readonly _id: string
  /** The process that rewrites, by a random id. A start or a repeated command replaces it. */
  readonly run: string
  /** Grows with each write of the run, so that no other run can take over in the middle of one. */
  readonly step: number
}

export type RunId = Pick<RunRow, '_id' | 'run'>

const runsIn = (database: Database) => database.table<RunRow>('quire_conversions')

/** Replaces the run of a process that was killed, or sleeps. Null if the row is gone. */
export function takeRun(database: Database, { _id, run }: RunId): Promise<RunRow | null> {
  return database.transact((session) =>
    runsIn(database).findOneAndUpdate(
      { _id },
      { $set: { run }, $inc: { step: 1 } },
      { session, returnDocument: 'after' },
    ),
  )
}

/** Changes the row only for the process that has it. @throws ConfigError if another one has taken over */
export async function changeRun(
  database: Database,
  { _id, run }: RunId,
  changes: object = {},
  session?: Session,
): Promise<void> {
  const { matchedCount } = await runsIn(database).updateOne(
    { _id, run },
    { $inc: { step: 1 }, ...(Object.keys(changes).length > 0 && { $set: changes }) },
    { session },
  )
  if (matchedCount === 0) throw takenOver()
}

/** Deletes the row only for the process that has it. @throws ConfigError if another one has taken over */
export async function endRun(database: Database, { _id, run }: RunId): Promise<void> {
  const { deletedCount } = await runsIn(database).deleteOne({ _id, run })
  if (deletedCount === 1) return
  if ((await runsIn(database).findOne({ _id })) !== null) throw takenOver()
}

export function takenOver(): ConfigError {
  return new ConfigError([TAKEN_OVER])
}

const TAKEN_OVER =
  'This process has paused for too long, so another one has taken over its work. Look at its output.'

/** Writes only while the run has the row. */
export type Fence = <T>(write: (session: Session) => Promise<T>) => Promise<T>

export function fenceOf(database: Database, id: RunId): Fence {
  return (write) =>
    database.transact(async (session) => {
      await changeRun(database, id, {}, session)
      return write(session)
    })
}

/** @throws ConfigError, because a standalone server does not show its processes, and cannot stop a late writer */
export function assertFenceable({ hasTransactions }: Database, work: string): void {
  if (hasTransactions) return
  throw new ConfigError([
    `${work} only on a replica set, because it needs transactions. Start mongod with --replSet rs0, and run rs.initiate() once in mongosh.`,
  ])
}
