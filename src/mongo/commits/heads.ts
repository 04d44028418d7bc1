import { nanoid } from 'nanoid'
import { optionsAt } from '../connection/commands.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database, Moment } from '../connection/database.ts'
import { ensureRow } from '../system/system-collections.ts'

/** The number of the last commit that has changed something of a type. */
export interface TypeSeq {
  readonly type: string
  readonly seq: number
}

/** Rows that are being numbered: the next sequencer finishes this first. */
export interface Assigning {
  /** The number of the first. */
  readonly from: number
  /** In the order of their numbers. */
  readonly ids: readonly string[]
  /** Of what they change. */
  readonly types: readonly TypeSeq[]
}

/**
 * How far the log is numbered. One document that all processes write, by single commands and never in a transaction: a
 * process that is killed in the middle of one keeps nobody from it.
 */
export interface Head {
  readonly _id: 'main'
  /** Which log this is: another one since a backup was restored. */
  readonly log: string
  /** Of the last commit that counts: all below are there, none comes later. */
  readonly seq: number
  /** Commits up to this one have been removed by retention. */
  readonly floor: number
  /** Changes with every write: it fences off a sequencer that read an earlier one. */
  readonly version: number
  /** A list, as names with dots are no keys everywhere. */
  readonly types: readonly TypeSeq[]
  readonly assigning: Assigning | null
}

export const headsOf = (database: Database) => database.collection<Head>('quire_heads')

const MAIN = { _id: 'main' } as const

/** Begins the log, where there is none. Many processes may do so at once. */
export async function ensureHead(database: Database): Promise<void> {
  const rest = { seq: 0, floor: 0, version: 0, types: [], assigning: null }
  await ensureRow(headsOf(database), { ...MAIN, log: nanoid(), ...rest })
}

/**
 * The head that a majority has, so that no failover takes it back.
 * @throws Error where the log has not begun
 */
export function readHead({ majority }: Database): Promise<Head> {
  return readHeadAt({ database: majority, session: undefined })
}

/** @throws Error where the log has not begun */
export async function readHeadAt(moment: Moment): Promise<Head> {
  const head = await asCmsErrors(() => headsOf(moment.database).findOne(MAIN, optionsAt(moment)))
  if (head === null) throw new Error('the commit log has no head')
  return head
}

/** Writes the head unless it has changed since it was read; null where it has. */
export function moveHead(
  database: Database,
  { version }: Head,
  changes: Partial<Omit<Head, '_id' | 'version'>>,
): Promise<Head | null> {
  return asCmsErrors(() =>
    headsOf(database).findOneAndUpdate(
      { ...MAIN, version },
      { $set: { ...changes, version: version + 1 } },
      { returnDocument: 'after', maxTimeMS: database.queryTimeoutMs },
    ),
  )
}
