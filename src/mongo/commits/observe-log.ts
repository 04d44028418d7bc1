import type { Filter } from 'mongodb'
import { asCmsErrors } from '../connection/database-error.ts'
import { COMMITS } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { type Head, readHead } from './heads.ts'
import { BATCH } from './sequencer.ts'

/** A row of the log, and the types of what it changes. */
export interface SeenCommit {
  readonly id: string
  readonly types: readonly string[]
}

/** What one process has seen of the log. */
export interface ObservedLog {
  readonly head: Head
  /** What has no number yet, and what was numbered since the look before. */
  readonly commits: readonly SeenCommit[]
  /** The oldest that has no number. */
  readonly waiting: string | null
  /** Whether these are all. */
  readonly isWhole: boolean
  /** When the look began, by `performance.now()`: what was acknowledged before is in it. */
  readonly startedAt: number
}

/**
 * Looks at all that has been committed since an earlier head, numbered or not. What has no number is read first, then the
 * head: a row that was given one in between is named by `head.assigning`, or below the head and read after it.
 */
export async function observeLog(
  database: Database,
  { log, seq }: Pick<Head, 'log' | 'seq'>,
): Promise<ObservedLog> {
  const startedAt = performance.now()
  const pending = await readSome(database, { pending: 1 }, { pending: 1, _id: 1 })
  const head = await readHead(database)
  const isNew = head.log === log && head.seq > seq
  const numbered = isNew
    ? await readSome(database, { seq: { $gt: seq, $lte: head.seq } }, { seq: 1 })
    : []
  return {
    head,
    commits: [...pending, ...numbered],
    waiting: pending[0]?.id ?? null,
    isWhole: pending.length < BATCH && numbered.length < BATCH,
    startedAt,
  }
}

interface Row {
  readonly _id: string
  readonly pending?: 1
  readonly seq?: number
  readonly items: readonly { readonly type: string }[]
}

async function readSome(
  database: Database,
  filter: Filter<Row>,
  sort: Readonly<Record<string, 1>>,
): Promise<readonly SeenCommit[]> {
  const rows = await asCmsErrors(() =>
    database
      .collection<Row>(COMMITS)
      .find(filter, {
        maxTimeMS: database.queryTimeoutMs,
        projection: { 'items.type': 1 },
        batchSize: BATCH + 1,
      })
      .sort(sort)
      .limit(BATCH)
      .toArray(),
  )
  return rows.map(({ _id: id, items }) => ({
    id,
    types: [...new Set(items.map(({ type }) => type))],
  }))
}
