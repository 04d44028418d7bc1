import { ConfigError } from '../../base/errors.ts'
import type { Uid } from '../../schema/definition.ts'
import type { Database } from '../connection/database.ts'
import { ensureRow } from '../system/system-collections.ts'

/** An attribute with the stored name that it has before and after the compaction. */
export interface CompactedMember {
  readonly stored: string
  readonly to: string
  /** The stored uids of its components. */
  readonly inside?: readonly Uid[]
  /** The stored uid of the entries that a relation or file attribute names. */
  readonly target?: Uid
}

/** A content-type or component. */
export interface CompactedHolder {
  /** The stored uid. */
  readonly uid: Uid
  readonly members: readonly CompactedMember[]
}

/** An unfinished move of values to the names of their attributes. */
export interface CompactionRow {
  readonly _id: 'compaction'
  /** Values may have moved already. Before that, processes may still be running. */
  readonly hasBegun: boolean
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

export async function changeCompaction(
  database: Database,
  changes: Partial<Pick<CompactionRow, 'hasBegun' | 'pass'>>,
): Promise<void> {
  await compactionsIn(database).updateOne(WHICH, { $set: changes })
}

export async function endCompaction(database: Database): Promise<void> {
  await compactionsIn(database).deleteOne(WHICH)
}

export const UNFINISHED_COMPACTION =
  'Values are moved to the names of their attributes, and this is unfinished: repeat `quire schema compact`, or start the server'

/** @throws ConfigError, because commands would find some values under each name */
export async function assertNoCompaction(database: Database): Promise<void> {
  const row = await readCompaction(database)
  if (row?.hasBegun === true) throw new ConfigError([UNFINISHED_COMPACTION])
}
