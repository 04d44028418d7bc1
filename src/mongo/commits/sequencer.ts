import { asCmsErrors } from '../connection/database-error.ts'
import { COMMITS, type PendingRow } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import { type Assigning, type Head, moveHead, readHead, type TypeSeq } from './heads.ts'

/** As many rows as are numbered at once; the head names them meanwhile. */
export const BATCH = 500

/** Rows that one statement numbers: a statement for each row took four times as long, and a longer list is searched for longer. */
const AT_ONCE = 50

/** What has been done when a test may stop a sequencer. */
export type Step = 'read' | 'listed' | 'assigned' | 'numbered'

export interface SequencerOptions {
  /** Awaited after each step; for tests. */
  readonly pause?: (step: Step) => Promise<void>
}

export interface Sequenced {
  /** As it was left; null where another process was faster. */
  readonly head: Head | null
  readonly count: number
  /** What was numbered, in the order of its numbers; null where others may have had a part in it. */
  readonly numbered: Numbered | null
  /** There may be more to number. */
  readonly more: boolean
}

/** Commits whose numbers follow one another. */
export interface Numbered {
  /** The number of the first. */
  readonly from: number
  readonly commits: readonly SeenCommit[]
}

/** A row of the log, and the types of what it changes. */
export interface SeenCommit {
  readonly id: string
  readonly types: readonly string[]
}

const NOTHING = { count: 0, numbered: null } as const

/**
 * Numbers the commits that are pending, in the order of their ids. Each step is one command that may be repeated, and none
 * is part of a transaction: killed between any two of them, a process leaves what the next one finishes. Whoever was
 * stopped and goes on later changes nothing: its head has another version, its rows are pending no more.
 */
export async function sequence(
  database: Database,
  { pause = () => Promise.resolve() }: SequencerOptions = {},
): Promise<Sequenced> {
  const read = await readHead(database)
  const head = read.assigning === null ? read : await finish(database, read, pause)
  if (head === null) return { head, ...NOTHING, more: true }
  await pause('read')
  const rows = await listPending(database)
  if (rows.length === 0) return { head, ...NOTHING, more: false }
  await pause('listed')
  const assigned = await moveHead(database, head, { assigning: assign(head, rows) })
  if (assigned === null) return { head: null, ...NOTHING, more: true }
  await pause('assigned')
  const done = await finish(database, assigned, pause)
  const numbered = done && { from: head.seq + 1, commits: rows.map(toSeen) }
  const more = done === null || rows.length >= BATCH - 1
  return { head: done, count: rows.length, numbered, more }
}

/** Numbers all that is pending now. For tests, and for commands that read the log. */
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

/**
 * As of one moment: a list that is read while others commit could hold a commit and not the one that it builds on. Hence
 * one snapshot.
 */
async function listPending(database: Database): Promise<readonly Listed[]> {
  const rows = await database.readTogether((session) =>
    database
      .collection<PendingRow>(COMMITS)
      .find(
        { pending: 1 },
        {
          session,
          maxTimeMS: database.queryTimeoutMs,
          batchSize: BATCH + 1,
          projection: { 'items.type': 1, part: 1 },
        },
      )
      .sort({ pending: 1, _id: 1 })
      .limit(BATCH)
      .toArray(),
  )
  return rows.length < BATCH ? rows : withoutBroken(rows)
}

/** Without the rows at the end that are the beginning of a commit of several, unless there is nothing else. */
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

/** Gives the rows that the head names their numbers, and lets them count. Null where another process was faster. */
async function finish(
  database: Database,
  head: Head,
  pause: (step: Step) => Promise<void>,
): Promise<Head | null> {
  const { assigning } = head
  if (assigning === null) return head
  const operations = chunksOf(assigning.ids).map(({ ids, from }) => ({
    updateMany: {
      filter: { _id: { $in: [...ids] }, pending: 1 as const },
      update: [
        { $set: { seq: { $add: [assigning.from + from, { $indexOfArray: [ids, '$_id'] }] } } },
        { $unset: 'pending' },
      ],
    },
  }))
  await asCmsErrors(() =>
    database
      .collection<PendingRow & { readonly seq?: number }>(COMMITS)
      .bulkWrite(operations, { ordered: false, maxTimeMS: database.queryTimeoutMs }),
  )
  await pause('numbered')
  return moveHead(database, head, {
    seq: assigning.from + assigning.ids.length - 1,
    types: merge(head.types, assigning.types),
    assigning: null,
  })
}

function chunksOf(ids: readonly string[]) {
  return Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, index) => {
    const from = index * AT_ONCE
    return { from, ids: ids.slice(from, from + AT_ONCE) }
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
