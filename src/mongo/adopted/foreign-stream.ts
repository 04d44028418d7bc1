import { setTimeout as delay } from 'node:timers/promises'
import type { Binary, ChangeStream, Long } from 'mongodb'
import { COMMITS } from '../connection/commit-record.ts'
import type { Database } from '../connection/database.ts'
import type { ResumeToken } from './change-streams.ts'

/** An event of a change stream, without the document. */
export interface ForeignEvent {
  readonly _id: ResumeToken
  readonly operationType: string
  readonly ns?: { readonly coll?: string }
  /** The new name of a renamed collection. */
  readonly to?: { readonly coll?: string }
  readonly documentKey?: { readonly _id: unknown }
  readonly clusterTime?: { readonly t: number }
  readonly wallTime?: Date
  /** Of the transaction, with `txnNumber`. Absent for other writes. */
  readonly lsid?: { readonly id: Binary }
  readonly txnNumber?: number | bigint | Long
}

export interface ForeignBatch {
  /** Empty if there was none for a second. */
  readonly events: readonly ForeignEvent[]
  /** The stream can be resumed after these events. */
  readonly token: ResumeToken
}

export interface ForeignStream {
  next(): Promise<ForeignBatch>
  close(): Promise<void>
}

const MAX_EVENTS = 500
/** Some transactions of other services end without a commit row. */
const MAX_TOGETHER = 2 * MAX_EVENTS
const AWAIT_MS = 1_000
/** Events of a burst share a commit. */
const PAUSE_MS = 10
/** The events of a transaction follow each other at once, so that the batch soon has its commit row. */
const OPEN_PAUSE_MS = 250
const MAX_GATHER_MS = 50
/** Within the lease of the process that follows. */
const MAX_OPEN_MS = 1_000
const MEMBERS = [
  'operationType',
  'ns',
  'to',
  'documentKey',
  'clusterTime',
  'wallTime',
  'lsid',
  'txnNumber',
] as const

/**
 * One stream for all collections of the database that are named. It also has the inserts of rows of the commit log whose
 * transactions write adopted collections.
 */
export function openForeignStream(
  database: Pick<Database, 'watch'>,
  collections: readonly string[],
  resumeAfter: ResumeToken,
): ForeignStream {
  const named = { $in: [...collections] }
  const pipeline = [
    { $match: { $or: [{ 'ns.coll': named }, { 'to.coll': named }, OWN] } },
    { $project: Object.fromEntries(MEMBERS.map((name) => [name, 1])) },
  ]
  const options = { resumeAfter, maxAwaitTimeMS: AWAIT_MS, batchSize: MAX_EVENTS }
  return new GatheredStream(database.watch(pipeline, options), resumeAfter)
}

const OWN = {
  'ns.coll': COMMITS,
  operationType: 'insert',
  'fullDocument.adopted': 1,
}

/** The transaction of an event. Null for other writes. */
export function transactionOf({ lsid, txnNumber }: ForeignEvent): string | null {
  return lsid === undefined || txnNumber === undefined
    ? null
    : `${lsid.id.toString('hex')} ${String(txnNumber)}`
}

/** The transactions of this server and of other processes of it. Their changes are in the commit log. */
export function findOwnTransactions(events: readonly ForeignEvent[]): ReadonlySet<string | null> {
  return new Set(events.filter(({ ns }) => ns?.coll === COMMITS).map(transactionOf))
}

/** Whether the next event may be the commit row of the transaction, which is the last one of own transactions. */
function isIncomplete(event: ForeignEvent, count: number): boolean {
  return count < MAX_TOGETHER && transactionOf(event) !== null && event.ns?.coll !== COMMITS
}

const PAUSE = Symbol('pause')

class GatheredStream implements ForeignStream {
  readonly #stream: ChangeStream
  #token: ResumeToken
  #pending: Promise<ForeignEvent | null> | null = null

  constructor(stream: ChangeStream, token: ResumeToken) {
    this.#stream = stream
    this.#token = token
  }

  async next(): Promise<ForeignBatch> {
    const events: ForeignEvent[] = []
    let found = await this.#take()
    const beganAt = performance.now()
    while (found !== null) {
      events.push(found)
      this.#token = found._id
      found = await this.#takeMore(found, events.length, beganAt)
    }
    if (events.length === 0)
      this.#token = (this.#stream.resumeToken as ResumeToken | null) ?? this.#token
    return { events, token: this.#token }
  }

  async close(): Promise<void> {
    await this.#stream.close()
    await this.#pending?.catch(() => null)
  }

  /** Null if the batch ends with `last`. A full batch gets only further events of the transaction of `last`. */
  async #takeMore(
    last: ForeignEvent,
    count: number,
    beganAt: number,
  ): Promise<ForeignEvent | null> {
    const age = (): number => performance.now() - beganAt
    const isFull = (): boolean => count >= MAX_EVENTS || age() > MAX_GATHER_MS
    const isOpen = isIncomplete(last, count) && age() < MAX_OPEN_MS
    if (isFull() && !isOpen) return null
    const next = await Promise.race([this.#peek(), delay(isOpen ? OPEN_PAUSE_MS : PAUSE_MS, PAUSE)])
    if (next === PAUSE || next === null) return null
    if (isFull() && transactionOf(next) !== transactionOf(last)) return null
    return this.#take()
  }

  #peek(): Promise<ForeignEvent | null> {
    if (this.#pending === null) {
      this.#pending = this.#stream.tryNext() as Promise<ForeignEvent | null>
      this.#pending.catch(() => undefined) // thrown by the next `take`
    }
    return this.#pending
  }

  async #take(): Promise<ForeignEvent | null> {
    const taken = await this.#peek()
    this.#pending = null
    return taken
  }
}
