import { randomUUID } from 'node:crypto'
import type { Head } from '../../mongo/commits/heads.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { type LogStep, type MissedCommits, readLogStep } from '../follow-log.ts'
import type { FollowerCalls } from './call-follower.ts'
import {
  type DocumentCommits,
  extensionDeliveriesOf,
  groupByDocument,
  newDelivery,
} from './delivery-rows.ts'
import { DocumentCalls } from './document-calls.ts'
import { type FollowerRow, followersOf, type Leadership } from './follower-rows.ts'
import type { DeliveryRetries } from './retry-deliveries.ts'

export interface Following {
  readonly database: Database
  readonly calls: FollowerCalls
  readonly leadership: Leadership
  readonly deliveries: DeliveryRetries
  readonly now: () => Date
  readonly onMissed: (missed: MissedCommits & { readonly extension: string }) => void
  /** Receives errors of calls that outlast their step. */
  readonly onBackgroundError: (error: unknown) => void
  readonly stepMs?: number
}

/** A step and the longest pause after it take half a second, so 500 commits keep up with 1,000 a second. */
const STEP_LIMITS = { commits: 500, items: 5_000 } as const

const CONCURRENCY = 16

/** Longer calls leave the step, so that one document delays no other. Each step may take five times as long. */
const STEP_MS = 1_000

/**
 * Calls run in the order of the log per document. Documents that fail, are slow, or have failed before get a row.
 * One transaction stores the rows and moves the cursor, so that a killed process repeats the step.
 */
export async function followCommits(following: Following, head: Head): Promise<boolean> {
  const { database, calls, leadership, now } = following
  const row = await leadership.claim()
  if (row === null) return false
  const after = row.log === head.log ? row.cursor : head.seq
  if (row.log !== head.log) await adoptLog(following, row, head)
  if (after >= head.seq) return false
  const step = await readLogStep(database, { after, to: head.seq }, STEP_LIMITS)
  const documents = groupByDocument(calls.extension, new Set(calls.handlers.keys()), step.commits)
  const parked = await parkedOf(database, documents)
  const chains = documents
    .filter(({ _id }) => !parked.has(_id))
    .map((document) => new DocumentCalls(calls, document))
  await runWithin(chains, following.stepMs ?? STEP_MS)
  const late = documents.filter(({ _id }) => parked.has(_id))
  const hasMoved = await storeStep(following, { after, step, at: now() }, { late, chains })
  if (hasMoved && step.missed !== null) {
    following.onMissed({ ...step.missed, extension: calls.extension })
  }
  following.deliveries.wake()
  return hasMoved && step.reached < head.seq
}

interface Outcome {
  readonly late: readonly DocumentCommits[]
  readonly chains: readonly DocumentCalls[]
}

/** False if another process leads now. It repeats the step. */
async function storeStep(
  following: Following,
  move: Move,
  { late, chains }: Outcome,
): Promise<boolean> {
  const { database } = following
  const open = chains.filter((chain) => !chain.isDone)
  const leases = new Map(
    open.filter(({ isRunning }) => isRunning).map((one) => [one, randomUUID()]),
  )
  const hasMoved = await database.transact(async (session) => {
    if (!(await moveFollower(following, move, session))) return false
    for (const document of late) await appendCommits(database, document, move.at, session)
    for (const chain of open) {
      const lease = leases.get(chain) ?? null
      await insertDelivery(following, chain, { at: move.at, lease }, session)
    }
    return true
  })
  for (const [chain, lease] of leases) endLater(following, chain, hasMoved ? lease : null)
  return hasMoved
}

/** After a restored backup the numbers of the former log mean nothing. */
async function adoptLog(
  { database, calls, leadership, now, onMissed }: Following,
  row: FollowerRow,
  head: Head,
): Promise<void> {
  const missed = { from: row.cursor + 1, to: head.seq, at: now() }
  await followersOf(database).updateOne(
    { _id: row._id, holder: leadership.holder, log: row.log },
    { $set: { log: head.log, cursor: head.seq, missed } },
  )
  onMissed({ ...missed, extension: calls.extension })
}

async function parkedOf(
  database: Database,
  documents: readonly DocumentCommits[],
): Promise<ReadonlySet<string>> {
  if (documents.length === 0) return new Set()
  const ids = documents.map(({ _id }) => _id)
  const rows = await extensionDeliveriesOf(database)
    .find({ _id: { $in: ids }, open: 1 }, { projection: { _id: 1 } })
    .toArray()
  return new Set(rows.map(({ _id }) => _id))
}

interface Move {
  readonly after: number
  readonly step: LogStep
  readonly at: Date
}

async function moveFollower(
  { database, calls, leadership }: Following,
  { after, step, at }: Move,
  session: Session,
): Promise<boolean> {
  const missed = step.missed === null ? {} : { missed: { ...step.missed, at } }
  const { matchedCount } = await followersOf(database).updateOne(
    { _id: calls.extension, holder: leadership.holder, cursor: after },
    { $set: { cursor: step.reached, ...missed } },
    { session },
  )
  return matchedCount === 1
}

/** The row may have been finished since the step has read it. */
async function appendCommits(
  database: Database,
  { commits, ...document }: DocumentCommits,
  at: Date,
  session: Session,
): Promise<void> {
  const { _id, ...fresh } = newDelivery(document, at)
  await extensionDeliveriesOf(database).updateOne(
    { _id },
    { $push: { pending: { $each: [...commits] } }, $setOnInsert: fresh },
    { session, upsert: true },
  )
}

async function insertDelivery(
  { database, deliveries, now }: Following,
  chain: DocumentCalls,
  { at, lease }: { readonly at: Date; readonly lease: string | null },
  session: Session,
): Promise<void> {
  const { pending, failure } = chain
  const { _id, ...fresh } = newDelivery(chain.document, at)
  const held = lease === null ? {} : { lease, leasedUntil: deliveries.leaseEnd(now()), attempts: 1 }
  const failed = failure === null ? {} : deliveries.afterFailure(failure, at)
  const row = { ...fresh, ...held, ...failed, pending }
  await extensionDeliveriesOf(database).updateOne({ _id }, { $set: row }, { session, upsert: true })
}

/** The row belongs to this process until the call ends. */
function endLater(
  { deliveries, onBackgroundError }: Following,
  chain: DocumentCalls,
  lease: string | null,
) {
  const before = chain.pending
  chain.detach()
  const ended = chain.running.then(async () => {
    if (lease === null) return
    await deliveries.end({ ...chain.document, lease, attempts: 1 }, before, chain)
  })
  deliveries.keep(ended.catch(onBackgroundError))
}

/** The longest step, as a multiple of `stepMs`. It must end before the lease does. */
const MAX_STEP = 5

/**
 * A chain that runs longer than `ms` gives its place to the next one. Chains that have not started
 * after five times as long keep all their commits.
 */
async function runWithin(chains: readonly DocumentCalls[], ms: number): Promise<void> {
  const ends = performance.now() + MAX_STEP * ms
  const waiting = [...chains]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const left = ends - performance.now()
      if (left <= 0) return
      await raceTimer(next.run(), Math.min(ms, left))
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

async function raceTimer(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, over])
  clearTimeout(timer)
}
