import { randomUUID } from 'node:crypto'
import { asCmsErrors } from '../mongo/connection/database-error.ts'
import type { Database, Session } from '../mongo/connection/database.ts'
import { type SessionId, sessionIdOf } from '../mongo/connection/process-sessions.ts'
import { ensureIndexes } from '../mongo/system/system-collections.ts'
import { latestBelieved, type HeldJobs, openHeldJobs } from './held-jobs.ts'

/** What every row of work holds, beside what it is about. */
export interface JobRow {
  readonly _id: string
  /** There while it is to be done; what is done and kept to be looked at has it no more. */
  readonly open?: 1
  /** It is not begun before. */
  readonly dueAt: Date
  /** Whose turn it is, and until when the others leave it alone. */
  readonly lease: string | null
  readonly leasedUntil: Date
  /** How often it has been begun. */
  readonly attempts: number
  /** In which the last transaction runs that was to finish it. */
  readonly session?: SessionId
}

/** What a row of work is before anybody has begun it. */
export function newJob(dueAt: Date): Required<Omit<JobRow, '_id' | 'session'>> {
  return { open: 1, dueAt, lease: null, leasedUntil: new Date(0), attempts: 0 }
}

/** A claimed job: the row at the claim, with the `lease` of the claimant. */
export type ClaimedJob<T extends JobRow> = T & { readonly lease: string }

/** The lease ran out, and the job is another's: nothing of the attempt counts. */
export class LeaseLost extends Error {
  constructor(id: string) {
    super(`The lease of ${id} has been lost`)
    this.name = 'LeaseLost'
  }
}

/**
 * Work that outlives the process that was to do it. Three rules make each job count once, whichever process is killed,
 * stopped or late: it is claimed by one `findOneAndUpdate`, completed by the token of its lease alone, and its changes to
 * the database are in the transaction that removes it. It is enqueued by inserting its row, in any transaction.
 */
export interface JobQueue<T extends JobRow> {
  /** One that is due, among those that meet the conditions too; null where there is none. */
  claim(conditions?: object): Promise<ClaimedJob<T> | null>
  /** In how many milliseconds the first may be claimed of those that cannot yet; null where there is none within that time. */
  nextWithin(ms: number, conditions?: object): Promise<number | null>
  /**
   * Runs work that may outlast a lease: the lease is renewed meanwhile. After a kill others can claim the job within one
   * lease.
   */
  hold<R>(job: ClaimedJob<T>, work: () => Promise<R>): Promise<R>
  /** Writes what became of it, if it is still ours. @throws LeaseLost */
  settle(job: ClaimedJob<T>, change: JobChange<T>): Promise<void>
  /** Has its effect and removes it, both or neither. @throws LeaseLost, and nothing has changed */
  finish(job: ClaimedJob<T>, effect: (session: Session) => Promise<void>): Promise<void>
}

/** Given back to be done at another time, or done and kept. */
export type JobChange<T> =
  | { readonly kind: 'later'; readonly dueAt: Date; readonly set?: Partial<T> }
  | { readonly kind: 'done'; readonly set?: Partial<T> }

export interface JobQueueOptions {
  readonly database: Database
  readonly collection: string
  /** By which member, ascending, what is due at once is begun; without one there is no order. */
  readonly tieBreak?: string
  /** Longer than any attempt takes, unless that is held (`hold`). */
  readonly leaseMs: number
  readonly now: () => Date
}

/** Of those that are due first, as many are looked at as claim at once may meet. */
const CANDIDATES = 16

/** Of those that can be claimed soon, as many are looked at as may be under lease at once. */
const MAX_PENDING_LOOKED_AT = 64

export async function openJobQueue<T extends JobRow>(
  options: JobQueueOptions,
): Promise<JobQueue<T>> {
  const { database, now } = options
  const rows = rowsOf(options)
  const held = openHeldJobs(options)
  await ensureIndexes(rows, [
    { key: { open: 1, ...orderOf(options) }, partialFilterExpression: { open: 1 } },
  ])
  return {
    claim: (conditions = {}) =>
      asCmsErrors(
        async () =>
          (await claimOne({ ...options, held }, conditions, now())) as ClaimedJob<T> | null,
      ),
    hold: (job, work) => held.hold(job.lease, work),
    settle: (job, change) => settle(options, job, change),
    nextWithin: (ms, conditions = {}) => asCmsErrors(() => nextWithin(options, ms, conditions)),
    finish: (job, effect) => {
      const noteOnce = notingSession(options, job)
      return database.transact(async (session) => {
        await noteOnce(session)
        const { deletedCount } = await rows.deleteOne(
          { _id: job._id, lease: job.lease },
          { session, maxTimeMS: database.queryTimeoutMs },
        )
        if (deletedCount === 0) throw new LeaseLost(job._id)
        await effect(session)
      })
    },
  }
}

function orderOf({ tieBreak }: Pick<JobQueueOptions, 'tieBreak'>): Record<string, 1> {
  return { dueAt: 1, ...(tieBreak !== undefined && { [tieBreak]: 1 }) }
}

function rowsOf({ database, collection }: JobQueueOptions) {
  return database.collection<JobRow>(collection)
}

interface Claiming extends JobQueueOptions {
  readonly held: HeldJobs
}

async function claimOne(options: Claiming, conditions: object, at: Date): Promise<JobRow | null> {
  const { database, leaseMs, held } = options
  const rows = rowsOf(options)
  const claimable = claimableAt(at, leaseMs)
  const leasedUntil = new Date(at.getTime() + leaseMs)
  const due = await findDue(options, { ...conditions, ...claimable })
  for (const { _id, lease, session } of byChance(due)) {
    // Of an attempt that counts no more: what it has locked, its row above all, it may keep for a minute.
    if (lease !== null && session !== undefined) await database.endTransactions([session])
    const claimed = await rows.findOneAndUpdate(
      { _id, ...claimable, lease },
      { $set: { lease: randomUUID(), leasedUntil }, $inc: { attempts: 1 } },
      { maxTimeMS: database.queryTimeoutMs, returnDocument: 'after' },
    )
    if (claimed === null) continue
    if (lease !== null) await held.forget(lease)
    return claimed
  }
  return null
}

/** The first due; none with a lease. */
async function findDue(
  options: Claiming,
  filter: object,
): Promise<readonly Pick<JobRow, '_id' | 'lease' | 'session'>[]> {
  const { database, held } = options
  const find = (more: object) =>
    rowsOf(options)
      .find(
        { ...filter, ...more },
        { maxTimeMS: database.queryTimeoutMs, projection: { _id: 1, lease: 1, session: 1 } },
      )
      .sort(orderOf(options))
      .limit(CANDIDATES)
      .toArray()
  const due = await find({})
  if (due.every(({ lease }) => lease === null)) return due
  const alive = await held.alive()
  return alive.length === 0 ? due : find({ lease: { $nin: alive } })
}

function claimableAt(at: Date, leaseMs: number) {
  const unbelievable = latestBelieved(at, leaseMs)
  return {
    open: 1 as const,
    dueAt: { $lte: at },
    $or: [{ leasedUntil: { $lte: at } }, { leasedUntil: { $gt: unbelievable } }],
  }
}

/** Writes down in which session a job is finished, so that who takes it over can end that transaction. */
function notingSession(options: JobQueueOptions, { _id, lease }: ClaimedJob<JobRow>) {
  const { database } = options
  let isNoted = !database.hasTransactions
  return async (session: Session): Promise<void> => {
    if (isNoted) return
    const { matchedCount } = await rowsOf(options).updateOne(
      { _id, lease },
      { $set: { session: sessionIdOf(session) } },
      { maxTimeMS: database.queryTimeoutMs },
    )
    if (matchedCount === 0) throw new LeaseLost(_id)
    isNoted = true
  }
}

async function nextWithin(
  options: JobQueueOptions,
  ms: number,
  conditions: object,
): Promise<number | null> {
  const { database, now } = options
  const at = now()
  const until = new Date(at.getTime() + ms)
  const soon = await rowsOf(options)
    .find(
      { ...conditions, open: 1, dueAt: { $lte: until }, leasedUntil: { $lte: until } },
      { maxTimeMS: database.queryTimeoutMs, projection: { dueAt: 1, leasedUntil: 1 } },
    )
    .sort(orderOf(options))
    .limit(MAX_PENDING_LOOKED_AT)
    .toArray()
  const times = soon
    .map(
      ({ dueAt, leasedUntil }) => Math.max(dueAt.getTime(), leasedUntil.getTime()) - at.getTime(),
    )
    .filter((time) => time > 0) // the others could be claimed now, were nobody at them
  return times.length === 0 ? null : Math.min(...times)
}

async function settle<T extends JobRow>(
  options: JobQueueOptions,
  job: ClaimedJob<T>,
  change: JobChange<T>,
): Promise<void> {
  const isDone = change.kind === 'done'
  const set = { ...change.set, lease: null, ...(!isDone && freeFrom(change.dueAt)) }
  const { matchedCount } = await asCmsErrors(() =>
    rowsOf(options).updateOne(
      { _id: job._id, lease: job.lease },
      { $set: set as Partial<JobRow>, ...(isDone && { $unset: { open: '' } }) },
      { maxTimeMS: options.database.queryTimeoutMs },
    ),
  )
  if (matchedCount === 0) throw new LeaseLost(job._id)
}

function freeFrom(dueAt: Date): Pick<JobRow, 'dueAt' | 'leasedUntil'> {
  return { dueAt, leasedUntil: new Date(0) }
}

/** So that processes that look at once do not all reach for the same. */
function byChance<T>(list: readonly T[]): readonly T[] {
  const start = Math.floor(Math.random() * list.length)
  return [...list.slice(start), ...list.slice(0, start)]
}
