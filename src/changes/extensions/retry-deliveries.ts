import { type ClaimedJob, openJobQueue } from '../../mongo/jobs/job-queue.ts'
import { openRunner } from '../../mongo/jobs/runner.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { FollowerCalls } from './call-follower.ts'
import {
  type CommittedDocument,
  EXTENSION_DELIVERIES,
  type ExtensionDeliveryRow,
  extensionDeliveriesOf,
} from './delivery-rows.ts'
import { DocumentCalls } from './document-calls.ts'

type HeldDelivery = Pick<
  ClaimedJob<ExtensionDeliveryRow>,
  '_id' | 'extension' | 'type' | 'documentId' | 'lease' | 'attempts'
>

type Failure = NonNullable<DocumentCalls['failure']>

export interface DeliveryRetries {
  /** The end of the lease of a row that this process inserts. */
  leaseEnd(at: Date): Date
  afterFailure(failure: Failure, at: Date): Partial<ExtensionDeliveryRow>
  /** Stores the outcome of a held row. `before` are the commits that it had. */
  end(row: HeldDelivery, before: readonly CommittedDocument[], calls: DocumentCalls): Promise<void>
  keep(work: Promise<void>): void
  wake(): void
  close(): Promise<void>
}

export interface RetriesOptions {
  readonly database: Database
  readonly calls: FollowerCalls
  readonly now: () => Date
  readonly onBackgroundError: (error: unknown) => void
  /** In milliseconds. Default: 1 s to 12 h, about a day in all. */
  readonly delays?: readonly number[]
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const DELAYS: readonly number[] = [
  SECOND,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
]

/** A document with more commits does not wait for its first one. */
const MAX_PENDING_COMMITS = 1_000

const SETTLE_MS = 15_000

const CONCURRENCY = 8

export async function openDeliveryRetries(options: RetriesOptions): Promise<DeliveryRetries> {
  const { database, calls, now, onBackgroundError, delays = DELAYS } = options
  const leaseMs = calls.timeoutMs + SETTLE_MS
  const queue = await openJobQueue<ExtensionDeliveryRow>({
    database,
    collection: EXTENSION_DELIVERIES,
    tieBreak: 'since',
    leaseMs,
    now,
  })
  const mine = { extension: calls.extension }
  const end: DeliveryRetries['end'] = (row, before, chain) =>
    settleDelivery({ database, delays, at: now() }, row, before, chain)
  const lane = {
    atOnce: CONCURRENCY,
    next: async () => {
      if (calls.stopping.aborted) return null
      const row = await queue.claim(mine)
      if (row === null) return null
      const { pending: before } = row
      const chain = new DocumentCalls(calls, { ...row, commits: before })
      return () => queue.hold(row, () => chain.run().then(() => end(row, before, chain)))
    },
  }
  const soon = (leastMs: number) => queue.nextWithin(SECOND, mine, leastMs)
  const runner = openRunner({ lanes: [lane], soon, onError: onBackgroundError })
  const kept = new Set<Promise<void>>()
  return {
    leaseEnd: (at) => new Date(at.getTime() + leaseMs),
    afterFailure: ({ message, isFinal }, at) => ({
      attempts: 1,
      failure: { at, message },
      dueAt: isFinal ? at : new Date(at.getTime() + (delays[0] ?? 0)),
    }),
    end,
    keep: (work) => {
      const settled = work.finally(() => kept.delete(settled))
      kept.add(settled)
    },
    wake: () => runner.wake(),
    close: async () => {
      await runner.close()
      await Promise.all(kept)
    },
  }
}

interface Settling {
  readonly database: Database
  readonly delays: readonly number[]
  readonly at: Date
}

async function settleDelivery(
  settling: Settling,
  row: HeldDelivery,
  before: readonly CommittedDocument[],
  { pending, failure, isStopped }: DocumentCalls,
): Promise<void> {
  const { database, delays, at } = settling
  const done = before.slice(0, before.length - pending.length)
  const [first] = pending
  if (isStopped && done.length === 0) {
    await release(database, row, done, { dueAt: at, attempts: row.attempts - 1 })
    return
  }
  if (failure === null || first === undefined) {
    await release(database, row, done, { dueAt: at, attempts: 0, failure: null })
    return
  }
  const attempts = done.length > 0 ? 1 : row.attempts
  const noted = { at, message: failure.message }
  const isFull = pending.length > MAX_PENDING_COMMITS
  const delay = failure.isFinal || isFull ? undefined : delays[attempts - 1]
  if (delay === undefined) await bury(settling, row, { done, first, failure: noted })
  else {
    const dueAt = new Date(at.getTime() + delay)
    await release(database, row, done, { dueAt, attempts, failure: noted })
  }
}

type Released = Pick<ExtensionDeliveryRow, 'dueAt' | 'attempts'> &
  Partial<Pick<ExtensionDeliveryRow, 'failure'>>

async function release(
  database: Database,
  { _id, lease }: HeldDelivery,
  done: readonly CommittedDocument[],
  set: Released,
): Promise<void> {
  const rows = extensionDeliveriesOf(database)
  await rows.updateOne(
    { _id, lease },
    {
      $pull: { pending: { commit: { $in: done.map(({ commit }) => commit) } } },
      $set: { ...set, lease: null, leasedUntil: new Date(0) },
    },
  )
  // A commit that was appended in the meantime keeps the row.
  await rows.deleteOne({ _id, lease: null, open: 1, pending: { $size: 0 } })
}

async function bury(
  { database, at }: Settling,
  row: HeldDelivery,
  letter: {
    readonly done: readonly CommittedDocument[]
    readonly first: CommittedDocument
    readonly failure: NonNullable<ExtensionDeliveryRow['failure']>
  },
): Promise<void> {
  const { _id, extension, type, documentId, lease } = row
  const { done, first, failure } = letter
  const gone = [...done, first].map(({ commit }) => commit)
  const rows = extensionDeliveriesOf(database)
  await database.transact(async (session) => {
    const { matchedCount } = await rows.updateOne(
      { _id, lease },
      {
        $pull: { pending: { commit: { $in: gone } } },
        $set: { lease: null, leasedUntil: new Date(0), dueAt: at, attempts: 0, failure: null },
      },
      { session },
    )
    if (matchedCount === 0) return
    const dead = {
      extension,
      type,
      documentId,
      since: first.at,
      pending: [first],
      failure,
      deadAt: at,
      dueAt: at,
      lease: null,
      leasedUntil: new Date(0),
      attempts: row.attempts,
    }
    const letterId = `${_id} ${first.commit}`
    await rows.updateOne({ _id: letterId }, { $set: dead }, { session, upsert: true })
  })
  await rows.deleteOne({ _id, lease: null, open: 1, pending: { $size: 0 } })
}
