import { ConfigError } from '../../base/errors.ts'
import type { Uid } from '../../schema/definition.ts'
import type { Database, Session } from '../connection/database.ts'
import { UNFINISHED_COMPACTION } from '../system/schema-ledger.ts'
import { ensureRow } from '../system/system-collections.ts'
import { changeRun, type RunId, type RunRow, takeRun } from './run-row.ts'

/** An attribute with the stored name that it has before and after the compaction. */
export interface CompactedMember {
  readonly stored: string
  readonly to: string
  /** The stored uids of its components. */
  readonly inside?: readonly Uid[]
  /** The stored uid of the entries that a relation or file attribute names. */
  readonly target?: Uid
  /** Values of no attribute, under a name that an attribute gets. */
  readonly isStray?: boolean
}

/** A content-type or component. */
export interface CompactedHolder {
  /** The stored uid. */
  readonly uid: Uid
  readonly members: readonly CompactedMember[]
}

/**
 * While a move is planned, processes may still be running. Then values move, and the ledger has a mark. Indexes and
 * reservations come last.
 */
export type CompactionPhase = 'planned' | 'moving' | 'indexes'

/** An unfinished move of values to the names of their attributes. */
export interface CompactionRow extends RunRow {
  readonly _id: 'compaction'
  readonly phase: CompactionPhase
  readonly at: Date
  /** The number of compactions in the ledger before this one. */
  readonly compactions: number
  readonly pass: number
  readonly holders: readonly CompactedHolder[]
}

const WHICH = { _id: 'compaction' } as const

const compactionsIn = (database: Database) => database.table<CompactionRow>('quire_conversions')

export function readCompaction(database: Database): Promise<CompactionRow | null> {
  return compactionsIn(database).findOne(WHICH)
}

export async function putCompaction(database: Database, row: CompactionRow): Promise<void> {
  await ensureRow(compactionsIn(database), row)
}

export const compactionRun = (run: string): RunId => ({ ...WHICH, run })

/** Null if the row is gone. */
export function takeCompaction(database: Database, run: string): Promise<CompactionRow | null> {
  return takeRun(database, compactionRun(run)) as Promise<CompactionRow | null>
}

/** @throws ConfigError if another process has taken over */
export function changeCompaction(
  database: Database,
  run: string,
  changes: Partial<Pick<CompactionRow, 'phase' | 'pass'>>,
  session?: Session,
): Promise<void> {
  return changeRun(database, compactionRun(run), changes, session)
}

/** Ends a move that has not begun. Returns false if it has begun meanwhile, or if it is gone. */
export async function cancelCompaction(database: Database, run: string): Promise<boolean> {
  const { deletedCount } = await compactionsIn(database).deleteOne({
    ...WHICH,
    run,
    phase: 'planned',
  })
  return deletedCount === 1
}

/** Called when all indexes and reservations have the new names. A start ends it also for another run. */
export async function endCompaction(database: Database, run?: string): Promise<void> {
  const which = run === undefined ? WHICH : { ...WHICH, run }
  await compactionsIn(database).deleteOne({ ...which, phase: 'indexes' })
}

/**
 * Refuses also while a move is planned, because it begins without another look at the processes.
 * @throws ConfigError, because commands would find some values under each name
 */
export async function assertNoCompaction(database: Database): Promise<void> {
  if ((await readCompaction(database)) !== null) throw new ConfigError([UNFINISHED_COMPACTION])
}
