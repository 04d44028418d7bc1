import { createHash } from 'node:crypto'
import type { Database } from '../connection/database.ts'
import type { Conversions } from '../versions/convert-row.ts'

/** The progress of the last conversion. */
export interface ConversionRow {
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

/** Continues an unfinished conversion of the same attributes. */
export async function openProgress(
  database: Database,
  { conversions, version }: Pending,
  log: ProgressLog,
): Promise<Progress> {
  const rows = conversionsIn(database)
  const key = `${version} ${keyOf(conversions)}`
  const found = await readConversion(database)
  const resumed = found?.key === key && found.endedAt === null ? found : null
  let row = resumed ?? firstRow(key)
  let loggedAt = performance.now()
  const put = async (changes: Partial<ConversionRow>): Promise<void> => {
    row = { ...row, ...changes }
    const { _id, ...members } = row
    await rows.updateOne({ _id }, { $set: members }, { upsert: true })
  }
  await put({})
  const begun = resumed === null ? 'is converted' : 'is converted further after an interruption'
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

function firstRow(key: string): ConversionRow {
  const counts = { rows: 0, rewritten: 0 }
  const none = { type: null, after: '', done: [], endedAt: null }
  return { _id: 'conversion', key, startedAt: new Date(), ...none, ...counts }
}

function namesOf(conversions: Conversions): readonly string[] {
  return [...conversions.values()].flat().map(({ uid, stored }) => `${uid} ${stored}`)
}

function keyOf(conversions: Conversions): string {
  const text = JSON.stringify(namesOf(conversions).toSorted())
  return createHash('sha256').update(text).digest('base64url')
}
