import { nanoid } from 'nanoid'
import { optionsAt } from '../connection/time-limits.ts'
import type { Database, Moment } from '../connection/database.ts'
import { ensureRow } from '../system/system-collections.ts'

export interface TypeSeq {
  readonly type: string
  readonly seq: number
}

export interface Assigning {
  readonly from: number
  readonly ids: readonly string[]
  readonly types: readonly TypeSeq[]
}

/** Written outside of transactions, so that a killed process never blocks the others. */
export interface Head {
  readonly _id: 'main'
  readonly log: string
  readonly seq: number
  readonly floor: number
  /** Changes with every write, which fences off a sequencer with an older head. */
  readonly version: number
  /** A list, because not all databases accept keys with dots. */
  readonly types: readonly TypeSeq[]
  readonly assigning: Assigning | null
}

export const headsOf = (database: Database) => database.table<Head>('quire_heads')

const MAIN = { _id: 'main' } as const

export async function ensureHead(database: Database): Promise<void> {
  const rest = { seq: 0, floor: 0, version: 0, types: [], assigning: null }
  await ensureRow(headsOf(database), { ...MAIN, log: nanoid(), ...rest })
}

/** Reads the head with majority read concern. @throws Error if the log does not exist */
export function readHead({ majority }: Database): Promise<Head> {
  return readHeadAt({ database: majority, session: undefined })
}

/** @throws Error if the log does not exist */
export async function readHeadAt(moment: Moment): Promise<Head> {
  const head = await headsOf(moment.database).findOne(MAIN, optionsAt(moment))
  if (head === null) throw new Error('the commit log has no head')
  return head
}

export function moveHead(
  database: Database,
  { version }: Head,
  changes: Partial<Omit<Head, '_id' | 'version'>>,
): Promise<Head | null> {
  return headsOf(database).findOneAndUpdate(
    { ...MAIN, version },
    { $set: { ...changes, version: version + 1 } },
    { returnDocument: 'after' },
  )
}
