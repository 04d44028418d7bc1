import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceUnavailableError } from '../../base/errors.ts'
import { isDuplicateKey } from '../connection/database-error.ts'
import type { Database, Session } from '../connection/database.ts'
import { assertLater, commitIdOf } from '../connection/commit-record.ts'

interface Lease {
  readonly _id: string
  readonly holder: string
  readonly expiresAt: Date
}

const COLLECTION = 'quire_leases'
/** A lease expires after this time if its holder has died. Holders renew at a third of it. */
const LEASE_MS = 15_000
/** A lease that ends later was written by a process with a wrong clock. */
const MAX_PLAUSIBLE_MS = 10 * LEASE_MS
const POLL_MS = 50
const MAX_WAIT_MS = 120_000

/** Exclusive across processes. @throws ServiceUnavailableError if the lease is not acquired within two minutes */
export async function withLease<T>(
  database: Database,
  name: string,
  work: () => Promise<T>,
  maxWaitMs = MAX_WAIT_MS,
): Promise<T> {
  const holder = randomUUID()
  await acquire(database, name, { holder, maxWaitMs })
  const renewal = setInterval(() => {
    // A failed renewal is retried. A second run is safe, because the work is idempotent.
    void claim(database, name, holder).catch(() => false)
  }, LEASE_MS / 3)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    await database.table<Lease>(COLLECTION).deleteOne({ _id: name, holder })
  }
}

export async function tryLease(
  database: Database,
  name: string,
  everyMs: number,
  work: () => Promise<void>,
): Promise<void> {
  const holder = randomUUID()
  if (await claim(database, name, holder, everyMs)) await work()
}

/** Blocks other transactions with the same name until this one ends. The row stays. */
export async function lockName(database: Database, name: string, session: Session): Promise<void> {
  const locked = await database
    .table<Pick<Lease, '_id' | 'holder'> & { readonly commit?: string }>(COLLECTION)
    .findOneAndUpdate(
      { _id: `lock:${name}` },
      { $set: { holder: randomUUID() }, $max: { commit: commitIdOf(session) } },
      { session, upsert: true, returnDocument: 'after' },
    )
  assertLater(session, locked?.commit)
}

async function acquire(
  database: Database,
  name: string,
  { holder, maxWaitMs }: { readonly holder: string; readonly maxWaitMs: number },
): Promise<void> {
  const deadline = performance.now() + maxWaitMs
  while (!(await claim(database, name, holder))) {
    if (performance.now() > deadline) {
      throw new ServiceUnavailableError(`Another process holds the lease "${name}" for too long`)
    }
    await delay(POLL_MS)
  }
}

async function claim(
  database: Database,
  name: string,
  holder: string,
  leaseMs = LEASE_MS,
): Promise<boolean> {
  const now = Date.now()
  const over = [
    { expiresAt: { $lt: new Date(now) } },
    { expiresAt: { $gt: new Date(now + Math.max(MAX_PLAUSIBLE_MS, 2 * leaseMs)) } },
  ]
  try {
    await database
      .table<Lease>(COLLECTION)
      .updateOne(
        { _id: name, $or: [{ holder }, ...over] },
        { $set: { holder, expiresAt: new Date(now + leaseMs) } },
        { upsert: true },
      )
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}
