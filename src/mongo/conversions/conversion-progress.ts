import { createHash, randomUUID } from 'node:crypto'
import type { Database } from '../connection/database.ts'
import { ensureRow } from '../system/system-collections.ts'
import type { Conversions } from '../versions/convert-row.ts'
import { changeRun, type RunRow, takeRun } from './run-row.ts'

/** The progress of the last conversion. */
export interface ConversionRow extends RunRow {
  readonly _id: 'conversion'
  /** Identifies the converted attributes, and the ledger that has their types. */
  readonly key: string
  /** The content-type that is being converted, up to the version `after`. */
  readonly type: string | null
  readonly after: string
  readonly done: readonly string[]
  /** Versions that were read. */
  readonly rows: number
  /** Versions with another value since. */
  readonly rewritten: number
  readonly startedAt: Date
  readonly endedAt: Date | null
}

export type ProgressLog = (facts: object, message: string) => void

interface Batch {
  readonly type: string
  /** The `_id` of its last version. */
  readonly after: string
  readonly read: number
  readonly rewritten: number
}

export interface Progress {
  readonly row: () => ConversionRow
  noteBatch(batch: Batch): Promise<void>
  finishType(type: string): Promise<void>
  finish(): Promise<void>
}

export interface Pending {
  readonly conversions: Conversions
  /** Of the ledger. */
  readonly version: number
}

const LOG_MS = 5_000

export const conversionsIn = (database: Database) =>
  database.table<ConversionRow>('quire_conversions')

/** Null if no values were ever converted. */
export function readConversion(database: Database): Promise<ConversionRow | null> {
  return conversionsIn(database).findOne({ _id: 'conversion' })
}

/** Takes the conversion over from a process that was killed, or sleeps. */
export async function takeConversion(database: Database): Promise<ConversionRow> {
  const none: ConversionRow = {
    _id: 'conversion',
    run: '',
    step: 0,
    ...firstMembers(''),
    endedAt: new Date(),
  }
  for (;;) {
    const row = await takeRun(database, { _id: none._id, run: randomUUID() })
    if (row !== null) return row as ConversionRow
    await ensureRow(conversionsIn(database), none)
  }
}

/** Continues an unfinished conversion of the same attributes. @throws ConfigError if another process has taken over */
export async function openProgress(
  database: Database,
  found: ConversionRow,
  { conversions, version }: Pending,
  log: ProgressLog,
): Promise<Progress> {
  const key = `${version} ${keyOf(conversions)}`
  const resumed = found.key === key && found.endedAt === null
  let row = found
  let loggedAt = performance.now()
  const put = async (changes: Partial<ConversionMembers>): Promise<void> => {
    row = { ...row, ...changes }
    await changeRun(database, row, changes)
  }
  if (!resumed) await put(firstMembers(key))
  const begun = resumed ? 'is converted further after an interruption' : 'is converted'
  log({ attributes: namesOf(conversions), rows: row.rows }, `Stored content ${begun}`)
  return {
    row: () => row,
    noteBatch: async ({ type, after, read, rewritten }) => {
      await put({ type, after, rows: row.rows + read, rewritten: row.rewritten + rewritten })
      if (performance.now() - loggedAt < LOG_MS) return
      loggedAt = performance.now()
      log({ type, rows: row.rows, rewritten: row.rewritten }, 'Stored content is being converted')
    },
    finishType: (type) => put({ type: null, after: '', done: [...row.done, type] }),
    finish: () => put({ endedAt: new Date() }),
  }
}

type ConversionMembers = Omit<ConversionRow, keyof RunRow>

function firstMembers(key: string): ConversionMembers {
  const counts = { rows: 0, rewritten: 0 }
  const none = { type: null, after: '', done: [], endedAt: null }
  return { key, startedAt: new Date(), ...none, ...counts }
}

function namesOf(conversions: Conversions): readonly string[] {
  return [...conversions.values()].flat().map(({ uid, stored }) => `${uid} ${stored}`)
}

function keyOf(conversions: Conversions): string {
  const text = JSON.stringify(namesOf(conversions).toSorted())
  return createHash('sha256').update(text).digest('base64url')
}
