import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceUnavailableError } from '../../errors.ts'
import { isDuplicateKey } from '../connection/database-error.ts'
import type { Database, Session } from '../connection/database.ts'
import { assertLater, commitIdOf } from '../connection/commit-record.ts'
import { optionsOf, inSession } from '../connection/commands.ts'

interface Lease {
  readonly _id: string
  readonly holder: string
  readonly expiresAt: Date
}

const COLLECTION = 'quire_leases'
/** A holder that died is waited for no longer than this; one that works renews at a third of it. */
const LEASE_MS = 15_000
/** What ends later was written by a clock that was wrong, here or there: nobody renews so far ahead. */
const BELIEVED_MS = 10 * LEASE_MS
const POLL_MS = 50
const PATIENCE_MS = 120_000

/**
 * Runs `work` while no other process holds the lease of this name, waiting for it at most two minutes.
 * @throws ServiceUnavailableError when it could not be had by then.
 */
export async function withLease<T>(
  database: Database,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const holder = randomUUID()
  await acquire(database, name, holder)
  const renewal = setInterval(() => {
    // A renewal that fails is followed by another; should the lease run out, its work is idempotent.
    void claim(database, name, holder).catch(() => false)
  }, LEASE_MS / 3)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    await database.collection<Lease>(COLLECTION).deleteOne({ _id: name, holder })
  }
}

/**
 * Runs `work` unless another process has begun the same less than `everyMs` ago: of all processes one in turn, and none
 * twice while one of them is at it.
 */
export async function tryLease(
  database: Database,
  name: string,
  everyMs: number,
  work: () => Promise<void>,
): Promise<void> {
  const holder = randomUUID()
  if (await claim(database, name, holder, everyMs)) await work()
}

/**
 * Keeps every other transaction that locks the same name waiting until this one ends: for things without a
 * row that could be locked. The commits that lock one name follow one another in the log. The row is a mutex; it is never
 * deleted.
 */
export async function lockName(database: Database, name: string, session: Session): Promise<void> {
  const locked = await inSession(session, () =>
    database
      .collection<Pick<Lease, '_id' | 'holder'> & { readonly commit?: string }>(COLLECTION)
      .findOneAndUpdate(
        { _id: `lock:${name}` },
        { $set: { holder: randomUUID() }, $max: { commit: commitIdOf(session) } },
        { ...optionsOf(database, session), upsert: true, returnDocument: 'after' },
      ),
  )
  assertLater(session, locked?.commit)
}

async function acquire(database: Database, name: string, holder: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await claim(database, name, holder))) {
    if (performance.now() > deadline) {
      throw new ServiceUnavailableError(`Another process holds the lease "${name}" for too long`)
    }
    await delay(POLL_MS)
  }
}

/** Takes a free lease, or renews its own. False when another process holds it. */
async function claim(
  database: Database,
  name: string,
  holder: string,
  leaseMs = LEASE_MS,
): Promise<boolean> {
  const now = Date.now()
  const over = [
    { expiresAt: { $lt: new Date(now) } },
    { expiresAt: { $gt: new Date(now + Math.max(BELIEVED_MS, 2 * leaseMs)) } },
  ]
  try {
    await database
      .collection<Lease>(COLLECTION)
      .updateOne(
        { _id: name, $or: [{ holder }, ...over] },
        { $set: { holder, expiresAt: new Date(now + leaseMs) } },
        { upsert: true, maxTimeMS: database.queryTimeoutMs },
      )
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}
