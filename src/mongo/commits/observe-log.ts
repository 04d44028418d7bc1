import type { Filter } from 'mongodb'
import { COMMITS } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { type Head, readHead } from './heads.ts'
import { BATCH, type SeenCommit, toSeen } from './sequencer.ts'

export interface ObservedLog {
  readonly head: Head
  readonly commits: readonly SeenCommit[]
  readonly waiting: string | null
  readonly isWhole: boolean
  readonly startedAt: number
}

/** Reads pending rows first: rows numbered in between are in `head.assigning` or read later. Skips `known` commits. */
export async function observeLog(
  database: Database,
  { log, seq }: Pick<Head, 'log' | 'seq'>,
  known: ReadonlyMap<number, SeenCommit> = new Map(),
): Promise<ObservedLog> {
  const startedAt = performance.now()
  const pending = await readSome(database, { pending: 1 }, { pending: 1, _id: 1 })
  const head = await readHead(database)
  const own = head.log === log ? knownAfter(seq, head, known) : []
  const from = seq + own.length
  const others =
    head.log === log && head.seq > from
      ? await readSome(database, { seq: { $gt: from, $lte: head.seq } }, { seq: 1 })
      : []
  return {
    head,
    commits: [...pending, ...own, ...others],
    waiting: pending[0]?.id ?? null,
    isWhole: pending.length < BATCH && others.length < BATCH,
    startedAt,
  }
}

function knownAfter(
  seq: number,
  head: Pick<Head, 'seq'>,
  known: ReadonlyMap<number, SeenCommit>,
): readonly SeenCommit[] {
  const commits: SeenCommit[] = []
  for (let next = known.get(seq + 1); next !== undefined;) {
    commits.push(next)
    const place = seq + commits.length
    next = place < head.seq ? known.get(place + 1) : undefined
  }
  return commits
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
  const rows = await database
    .table<Row>(COMMITS)
    .find(filter, {
      projection: { 'items.type': 1 },
      batchSize: BATCH + 1,
    })
    .sort(sort)
    .limit(BATCH)
    .toArray()
  return rows.map(toSeen)
}
