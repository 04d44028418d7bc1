import type { WriteOrigin } from '../connection/authorship.ts'
import { randomUUID } from 'node:crypto'
import type { Database, Session, SessionId } from '../connection/database.ts'
import { sessionIdOf } from '../connection/process-sessions.ts'
import { ensureIndexes } from '../system/system-collections.ts'
import { latestBelieved, type HeldJobs, openHeldJobs } from './held-jobs.ts'

export interface JobRow {
  readonly _id: string
  /** Absent in completed jobs that are kept. */
  readonly open?: 1
  readonly dueAt: Date
  /** Other processes ignore the job until `leasedUntil`. */
  readonly lease: string | null
  readonly leasedUntil: Date
  readonly attempts: number
  /** Session of the last transaction that tried to complete the job. */
  readonly session?: SessionId
}

export function newJob(dueAt: Date): Required<Omit<JobRow, '_id' | 'session'>> {
  return { open: 1, dueAt, lease: null, leasedUntil: new Date(0), attempts: 0 }
}

export type ClaimedJob<T extends JobRow> = T & { readonly lease: string }

/** Another process has claimed the job. The attempt must not have effects. */
export class LeaseLost extends Error {
  constructor(id: string) {
    super(`The lease of ${id} has been lost`)
    this.name = 'LeaseLost'
  }
}

/** Each job takes effect once, because only its current lease can complete it. Insert its row to enqueue a job. */
export interface JobQueue<T extends JobRow> {
  claim(conditions?: object): Promise<ClaimedJob<T> | null>
  /**
   * Milliseconds until a job can be claimed, 0 if one can be claimed now. Null if none within `ms`.
   * @param leastMs ignores jobs that can be claimed earlier
   */
  nextWithin(ms: number, conditions?: object, leastMs?: number): Promise<number | null>
  /** Renews the lease during the work, for at most `maxMs`. */
  hold<R>(job: ClaimedJob<T>, work: () => Promise<R>, maxMs?: number): Promise<R>
  /** @throws LeaseLost */
  settle(job: ClaimedJob<T>, change: JobChange<T>): Promise<void>
  /** Runs `effect` and deletes the job in one transaction. @throws LeaseLost without any change */
  finish(
    job: ClaimedJob<T>,
    effect: (session: Session) => Promise<void>,
    origin?: WriteOrigin,
  ): Promise<void>
}

/** Postpones a job, or completes it and keeps the row. */
export type JobChange<T> =
  | { readonly kind: 'later'; readonly dueAt: Date; readonly set?: Partial<T> }
  | { readonly kind: 'done'; readonly set?: Partial<T> }

export interface JobQueueOptions {
  readonly database: Database
  readonly collection: string
  /** Field that orders jobs with equal `dueAt`, ascending. Without it, their order is undefined. */
  readonly tieBreak?: string
  /** Must be longer than any attempt that does not use `hold`. */
  readonly leaseMs: number
  readonly now: () => Date
}

/** Claims choose among this number of due jobs, so that they rarely collide. */
const CANDIDATES = 16

/** Leased jobs may be among them. */
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
      claimOne({ ...options, held }, conditions, now()) as Promise<ClaimedJob<T> | null>,
    hold: (job, work, maxMs) => held.hold(job.lease, work, maxMs),
    settle: (job, change) => settle(options, job, change),
    nextWithin: async (ms, conditions = {}, leastMs = 0) => {
      const times = await timesWithin(options, ms, conditions)
      const later = times.filter((time) => time >= leastMs)
      return later.length === 0 ? null : Math.min(...later)
    },
    finish: (job, effect, origin) => {
      const noteOnce = notingSession(options, job)
      return database.transact(async (session) => {
        await noteOnce(session)
        const { deletedCount } = await rows.deleteOne(
          { _id: job._id, lease: job.lease },
          { session },
        )
        if (deletedCount === 0) throw new LeaseLost(job._id)
        await effect(session)
      }, origin)
    },
  }
}

function orderOf({ tieBreak }: Pick<JobQueueOptions, 'tieBreak'>): Record<string, 1> {
  return { dueAt: 1, ...(tieBreak !== undefined && { [tieBreak]: 1 }) }
}

function rowsOf({ database, collection }: JobQueueOptions) {
  return database.table<JobRow>(collection)
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
  for (const { _id, lease, session } of shuffled(due)) {
    // Abort the transaction of the previous attempt, which otherwise can hold its locks for a minute.
    if (lease !== null && session !== undefined) await database.endTransactions([session])
    const claimed = await rows.findOneAndUpdate(
      { _id, ...claimable, lease },
      { $set: { lease: randomUUID(), leasedUntil }, $inc: { attempts: 1 } },
      { returnDocument: 'after' },
    )
    if (claimed === null) continue
    if (lease !== null) await held.forget(lease)
    return claimed
  }
  return null
}

/** Skips jobs with a renewed lease. */
async function findDue(
  options: Claiming,
  filter: object,
): Promise<readonly Pick<JobRow, '_id' | 'lease' | 'session'>[]> {
  const { held } = options
  const find = (more: object) =>
    rowsOf(options)
      .find({ ...filter, ...more }, { projection: { _id: 1, lease: 1, session: 1 } })
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

/** The next claimant aborts the transaction of this session. */
function notingSession(options: JobQueueOptions, { _id, lease }: ClaimedJob<JobRow>) {
  const { database } = options
  let isNoted = !database.hasTransactions
  return async (session: Session): Promise<void> => {
    if (isNoted) return
    const { matchedCount } = await rowsOf(options).updateOne(
      { _id, lease },
      { $set: { session: sessionIdOf(session) } },
    )
    if (matchedCount === 0) throw new LeaseLost(_id)
    isNoted = true
  }
}

async function timesWithin(
  options: JobQueueOptions,
  ms: number,
  conditions: object,
): Promise<readonly number[]> {
  const { now, leaseMs } = options
  const at = now()
  const until = new Date(at.getTime() + ms)
  const unbelievable = latestBelieved(at, leaseMs)
  const free = [{ leasedUntil: { $lte: until } }, { leasedUntil: { $gt: unbelievable } }]
  const soon = await rowsOf(options)
    .find(
      { ...conditions, open: 1, dueAt: { $lte: until }, $or: free },
      { projection: { dueAt: 1, leasedUntil: 1 } },
    )
    .sort(orderOf(options))
    .limit(MAX_PENDING_LOOKED_AT)
    .toArray()
  return soon.map(({ dueAt, leasedUntil }) => {
    const freeAt = leasedUntil > unbelievable ? at : leasedUntil
    return Math.max(dueAt.getTime() - at.getTime(), freeAt.getTime() - at.getTime(), 0)
  })
}

async function settle<T extends JobRow>(
  options: JobQueueOptions,
  job: ClaimedJob<T>,
  change: JobChange<T>,
): Promise<void> {
  const isDone = change.kind === 'done'
  const set = { ...change.set, lease: null, ...(!isDone && freeFrom(change.dueAt)) }
  const { matchedCount } = await rowsOf(options).updateOne(
    { _id: job._id, lease: job.lease },
    { $set: set as Partial<JobRow>, ...(isDone && { $unset: { open: '' } }) },
  )
  if (matchedCount === 0) throw new LeaseLost(job._id)
}

function freeFrom(dueAt: Date): Pick<JobRow, 'dueAt' | 'leasedUntil'> {
  return { dueAt, leasedUntil: new Date(0) }
}

function shuffled<T>(list: readonly T[]): readonly T[] {
  const start = Math.floor(Math.random() * list.length)
  return [...list.slice(start), ...list.slice(0, start)]
}
