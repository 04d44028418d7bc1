import type { Database, Moment, Session } from '../connection/database.ts'
import { isDuplicateKey } from '../connection/database-error.ts'
import type { Table } from '../connection/table.ts'
import { optionsAt } from '../connection/time-limits.ts'
import { ensureIndexes } from './system-collections.ts'

/** The outcome of a mutation, without content. */
export interface PushedOutcome {
  readonly n: number
  readonly outcome: 'applied' | 'merged' | 'conflict' | 'refused'
  readonly documentId: string
  /** Of the content of the mutation. Absent in outcomes of older releases. */
  readonly digest?: string
  readonly revision: string | null
  /** Of a conflict or a refusal. */
  readonly code?: string
  readonly status?: number
  readonly attributes?: readonly string[]
  readonly keys?: PushedKeys
  /** False if the mutation changed nothing. */
  readonly changed?: false
  /** Set if the entry had changed since the base of the mutation. */
  readonly rebased?: true
}

/** By attribute: the ids of new components by their temporary keys. */
export type PushedKeys = readonly PushedKey[]

export interface PushedKey {
  readonly attribute: string
  readonly key: string
  readonly id: number
}

/** A store of content on a device. */
export interface PushClient {
  /** The documentId of the user and the id of the client. */
  readonly _id: string
  readonly user: string
  readonly log: string
  /** The number of the last mutation with an outcome. */
  readonly last: number
  /** The outcomes that the client has not acknowledged, in order. */
  readonly outcomes: readonly PushedOutcome[]
  /** Unexpected failures of the mutation after `last`. */
  readonly failures?: { readonly n: number; readonly count: number }
  readonly usedAt: Date
}

export interface ClientName {
  readonly user: string
  readonly client: string
}

export interface PushClients {
  find(name: ClientName): Promise<PushClient | null>
  /** Returns null if another request has stored the client. */
  start(name: ClientName, log: string, last: number): Promise<PushClient | null>
  restart(stale: PushClient, log: string, last: number): Promise<PushClient | null>
  /** Forgets outcomes up to `ack`. */
  acknowledge(client: PushClient, ack: number): Promise<PushClient>
  /** Moves `last` to the last of these mutations. @throws PushOvertaken if another request has moved it */
  move(client: PushClient, added: readonly PushedOutcome[], session?: Session): Promise<PushClient>
  /** Counts an unexpected failure of a mutation, and returns their number. */
  fail(client: PushClient, n: number): Promise<number>
  /** In the snapshot of a read. */
  progressAt(moment: Moment, name: ClientName, log: string): Promise<PushProgress>
}

export interface PushProgress {
  /** The number of the last mutation with an outcome. 0 if there is none. */
  readonly last: number
  /** The mutations up to it that were refused or are conflicts, without those that the client has acknowledged. */
  readonly failed: readonly number[]
}

/** Leaves out outcomes up to `ack`. The next `move` stores it. */
export function withoutAcknowledged(client: PushClient, ack: number): PushClient {
  return { ...client, outcomes: client.outcomes.filter(({ n }) => n > ack) }
}

/** Another request of the client has moved its number. */
export class PushOvertaken extends Error {
  constructor() {
    super('Another request of this client has moved its number')
    this.name = 'PushOvertaken'
  }
}

const MAX_CLIENTS_PER_USER = 50
const DAY_MS = 86_400_000
const SWEEP_INTERVAL_MS = 3_600_000

export async function openPushClients(
  database: Database,
  now: () => Date,
  silentDays: number,
): Promise<PushClients> {
  const rows = database.table<PushClient>('quire_clients')
  await ensureIndexes(rows, [
    { key: { user: 1, usedAt: 1 }, name: 'user' },
    { key: { usedAt: 1 }, name: 'usedAt' },
  ])
  // An outcome must not be reported before a majority has stored it.
  const acknowledged = database.majority.table<PushClient>('quire_clients')
  const expiry = (): Date => new Date(now().getTime() - silentDays * DAY_MS)
  let sweptAtMs = -Infinity
  const sweep = async (): Promise<void> => {
    const at = now().getTime()
    if (Math.abs(at - sweptAtMs) < SWEEP_INTERVAL_MS) return
    sweptAtMs = at
    await rows.deleteMany({ usedAt: { $lt: expiry() } })
  }
  return {
    find: async (name) => {
      await sweep()
      const row = await acknowledged.findOne({ _id: idOf(name) })
      return row !== null && row.usedAt >= expiry() ? row : null
    },
    start: async (name, log, last) => {
      const row = { _id: idOf(name), user: name.user, log, last, outcomes: [], usedAt: now() }
      await rows.deleteOne({ _id: row._id, usedAt: { $lt: expiry() } })
      await makeRoom(rows, name.user)
      return (await insertNew(rows, row)) ? row : null
    },
    restart: async ({ _id, log: stale }, log, last) => {
      const $set = { log, last, outcomes: [], usedAt: now() }
      return rows.findOneAndUpdate({ _id, log: stale }, { $set }, { returnDocument: 'after' })
    },
    ...outcomesOf(rows, now),
  }
}

function outcomesOf(
  rows: Table<PushClient>,
  now: () => Date,
): Pick<PushClients, 'acknowledge' | 'move' | 'fail' | 'progressAt'> {
  return {
    acknowledge: async (client, ack) => {
      const kept = withoutAcknowledged(client, ack)
      if (kept.outcomes.length === client.outcomes.length) return kept
      const { _id, last, log } = client
      await rows.updateOne({ _id, last, log }, { $set: { outcomes: kept.outcomes, usedAt: now() } })
      return kept
    },
    move: async (client, added, session) => {
      const { _id, last, log } = client
      const outcomes = [...client.outcomes, ...added]
      const changes = { last: added.at(-1)?.n ?? last, outcomes, usedAt: now() }
      const { matchedCount } = await rows.updateOne(
        { _id, last, log },
        { $set: changes },
        { session },
      )
      if (matchedCount !== 1) throw new PushOvertaken()
      return { ...client, ...changes }
    },
    fail: async ({ _id, last, log, failures }, n) => {
      const count = failures?.n === n ? failures.count + 1 : 1
      await rows.updateOne({ _id, last, log }, { $set: { failures: { n, count } } })
      return count
    },
    progressAt: async (moment, name, log) => {
      const at = moment.database.table<PushClient>('quire_clients')
      const row = await at.findOne({ _id: idOf(name) }, optionsAt(moment))
      if (row?.log !== log) return { last: 0, failed: [] }
      const failed = row.outcomes.filter(isFailed).map(({ n }) => n)
      return { last: row.last, failed }
    },
  }
}

function isFailed({ outcome }: PushedOutcome): boolean {
  return outcome === 'conflict' || outcome === 'refused'
}

async function insertNew(rows: Table<PushClient>, row: PushClient): Promise<boolean> {
  try {
    await rows.insertOne(row)
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}

/** Neither part has the separator. */
function idOf({ user, client }: ClientName): string {
  return `${user} ${client}`
}

/** A client that was silent for a long time yields to a new one. */
async function makeRoom(rows: Table<PushClient>, user: string): Promise<void> {
  const stored = await rows.find({ user }).sort({ usedAt: 1 }).toArray()
  const surplus = stored.slice(0, Math.max(0, stored.length - MAX_CLIENTS_PER_USER + 1))
  if (surplus.length === 0) return
  await rows.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } })
}
