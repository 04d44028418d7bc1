import { COMMITS, type PendingRow } from '../connection/commit-record.ts'
import { optionsAt } from '../connection/time-limits.ts'
import type { Database, Moment } from '../connection/database.ts'
import { type Assigning, type Head, moveHead, readHeadAt, type TypeSeq } from './heads.ts'

/** Maximum number of rows in a batch. The head lists them while they are numbered. */
export const BATCH = 500

/** Rows per update statement. One statement per row took four times as long. Longer lists are slow to search. */
const ROWS_PER_STATEMENT = 50

export type Step = 'read' | 'listed' | 'assigned' | 'numbered'

export interface SequencerOptions {
  readonly pause?: (step: Step) => Promise<void>
}

export interface Sequenced {
  readonly head: Head | null
  readonly count: number
  readonly numbered: Numbered | null
  readonly more: boolean
}

export interface Numbered {
  readonly from: number
  readonly commits: readonly SeenCommit[]
}

export interface SeenCommit {
  readonly id: string
  readonly types: readonly string[]
}

const NOTHING = { count: 0, numbered: null } as const

/** Numbers pending commits in the order of their ids. Each step is idempotent, so any process can complete it. */
export async function sequence(
  database: Database,
  { pause = () => Promise.resolve() }: SequencerOptions = {},
): Promise<Sequenced> {
  const { head, rows, isFull } = await readPending(database, pause)
  if (head.assigning !== null) {
    const done = await finish(database, head, head.assigning, pause)
    return done === null ? { head: null, ...NOTHING, more: true } : sequence(database, { pause })
  }
  if (rows.length === 0) return { head, ...NOTHING, more: isFull }
  await pause('listed')
  const assigning = assign(head, rows)
  const assigned = await moveHead(database, head, { assigning })
  if (assigned === null) return { head: null, ...NOTHING, more: true }
  await pause('assigned')
  const done = await finish(database, assigned, assigning, pause)
  const numbered = done && { from: assigning.from, commits: rows.map(toSeen) }
  return { head: done, count: rows.length, numbered, more: done === null || isFull }
}

export async function sequenceAll(database: Database): Promise<Head> {
  for (;;) {
    const { head, more } = await sequence(database)
    if (head !== null && !more) return head
  }
}

type Listed = Pick<PendingRow, '_id' | 'part'> & {
  readonly items: readonly { readonly type: string }[]
}

export function toSeen({ _id: id, items }: Pick<Listed, '_id' | 'items'>): SeenCommit {
  return { id, types: [...new Set(items.map(({ type }) => type))] }
}

interface Batch {
  readonly rows: readonly Listed[]
  /** Whether further rows may be pending or numbered, also if `rows` lacks the last ones of the batch. */
  readonly isFull: boolean
}

/** Without a majority snapshot, a number could go to a commit that is rolled back, and the log would have a gap. */
function readPending(
  database: Database,
  pause: (step: Step) => Promise<void>,
): Promise<Batch & { readonly head: Head }> {
  return database.readMoment(async (moment) => {
    const head = await readHeadAt(moment)
    if (head.assigning !== null) return { head, rows: [], isFull: false }
    await pause('read')
    const pending = await listPending(moment)
    if (pending.rows.length > 0 || moment.session !== undefined) return { head, ...pending }
    // Another process may have numbered commits after the head was read.
    const { seq, assigning } = await readHeadAt(moment)
    return { head, rows: [], isFull: seq !== head.seq || assigning !== null }
  })
}

/** One batch, because a find without a snapshot is only consistent within a batch. */
async function listPending(moment: Moment): Promise<Batch> {
  const rows = await moment.database
    .table<PendingRow>(COMMITS)
    .find(
      { pending: 1 },
      {
        ...optionsAt(moment),
        batchSize: BATCH + 1,
        projection: { 'items.type': 1, part: 1 },
      },
    )
    .sort({ pending: 1, _id: 1 })
    .limit(BATCH)
    .toArray()
  return rows.length < BATCH ? { rows, isFull: false } : { rows: withoutBroken(rows), isFull: true }
}

/** Drops an incomplete multi-row commit at the end of the batch, unless it is the only one. */
function withoutBroken(rows: readonly Listed[]): readonly Listed[] {
  const [part = 0, parts = 1] = rows.at(-1)?.part ?? []
  if (part + 1 === parts) return rows
  const whole = rows.slice(0, rows.length - part - 1)
  return whole.length === 0 ? rows : whole
}

function assign({ seq }: Head, rows: readonly Listed[]): Assigning {
  const types = new Map<string, number>()
  for (const [index, { items }] of rows.entries()) {
    for (const { type } of items) types.set(type, seq + 1 + index)
  }
  return { from: seq + 1, ids: rows.map(({ _id }) => _id), types: listOf(types) }
}

async function finish(
  database: Database,
  head: Head,
  assigning: Assigning,
  pause: (step: Step) => Promise<void>,
): Promise<Head | null> {
  const operations = chunksOf(assigning.ids).map(({ ids, from }) => ({
    updateMany: {
      filter: { _id: { $in: [...ids] }, pending: 1 as const },
      update: [
        { $set: { seq: { $add: [assigning.from + from, { $indexOfArray: [ids, '$_id'] }] } } },
        { $unset: 'pending' },
      ],
    },
  }))
  await database
    .table<PendingRow & { readonly seq?: number }>(COMMITS)
    .bulkWrite(operations, { ordered: false })
  await pause('numbered')
  return moveHead(database, head, {
    seq: assigning.from + assigning.ids.length - 1,
    types: merge(head.types, assigning.types),
    assigning: null,
  })
}

function chunksOf(ids: readonly string[]) {
  return Array.from({ length: Math.ceil(ids.length / ROWS_PER_STATEMENT) }, (_, index) => {
    const from = index * ROWS_PER_STATEMENT
    return { from, ids: ids.slice(from, from + ROWS_PER_STATEMENT) }
  })
}

function merge(before: readonly TypeSeq[], changed: readonly TypeSeq[]): readonly TypeSeq[] {
  const types = new Map(before.map(({ type, seq }) => [type, seq]))
  for (const { type, seq } of changed) types.set(type, seq)
  return listOf(types)
}

function listOf(types: ReadonlyMap<string, number>): readonly TypeSeq[] {
  return [...types].map(([type, seq]) => ({ type, seq }))
}
