import { randomBytes } from 'node:crypto'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { asCmsErrors, HeldByRelease, isOutOfTime } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { LOCK, newRevision } from '../versions/revision.ts'
import { versionsOf } from '../versions/stored-version.ts'

/** Longer than it takes to lock all documents of a release: then the locks keep others out. */
const HOLD_MS = 10_000
/** For all documents together. Then each is waited for alone: there is no moment at which nobody writes any of them. */
const TOGETHER_MS = 250
const AT_ONCE = 8
/** A hold that ends later than one can was written by a clock that was wrong. */
const BELIEVED_MS = 2 * HOLD_MS

const HOLD = /^hold:(\d+):/

/** Documents of one content-type. */
export interface HeldDocuments {
  readonly plan: ContentTypePlan
  readonly documentIds: readonly string[]
}

/**
 * Runs work that locks many documents, and has other writers of these wait meanwhile. A database that answers a conflict at
 * once gives locks to whoever comes first: a transaction that needs all of them at one moment would lose to writers of single
 * ones who never pause. The hold is written outside of the transaction, in the place of the lock (`lockDocument`): who locks
 * or writes a version sees it. It ends with the locks of the work, when the work fails, or after ten seconds.
 */
export async function holding<T>(
  database: Database,
  documents: readonly HeldDocuments[],
  work: () => Promise<T>,
): Promise<T> {
  const hold = `hold:${Date.now() + HOLD_MS}:${randomBytes(8).toString('hex')}`
  try {
    await asCmsErrors(() => placeHolds(database, documents, hold))
    return await work()
  } catch (error) {
    await endHolds(database, documents, hold).catch(() => undefined) // then they end by themselves
    throw error
  }
}

async function placeHolds(
  database: Database,
  documents: readonly HeldDocuments[],
  hold: string,
): Promise<void> {
  for (const { plan, documentIds } of documents) {
    try {
      await setLock(database, { plan, documentIds }, { to: hold, maxTimeMS: TOGETHER_MS })
    } catch (error) {
      if (!isOutOfTime(error)) throw error
      const left = [...documentIds]
      const placeOne = async (): Promise<void> => {
        for (let id = left.pop(); id !== undefined; id = left.pop()) {
          await setLock(database, { plan, documentIds: [id] }, { to: hold })
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, placeOne))
    }
  }
}

interface LockChange {
  readonly to: string
  /** Only where it is this. */
  readonly from?: string
  readonly maxTimeMS?: number
}

async function setLock(
  database: Database,
  { plan, documentIds }: HeldDocuments,
  { to, from, maxTimeMS = database.queryTimeoutMs }: LockChange,
): Promise<void> {
  await versionsOf(database, plan).updateMany(
    { documentId: { $in: [...documentIds] }, ...(from !== undefined && { [LOCK]: from }) },
    { $set: { [LOCK]: to } },
    { maxTimeMS },
  )
}

async function endHolds(
  database: Database,
  documents: readonly HeldDocuments[],
  hold: string,
): Promise<void> {
  for (const one of documents) await setLock(database, one, { from: hold, to: newRevision() })
}

/**
 * For a writer in a transaction, by the lock that a version had before.
 * @throws HeldByRelease, a conflict as the database reports one, for the retry rules of the transaction
 */
export function assertNotHeld(lock: unknown): void {
  if (isHeld(lock)) throw new HeldByRelease()
}

/** Whether what a version has in the place of its lock is a hold. */
export function isHeld(lock: unknown): boolean {
  const [, until] = (typeof lock === 'string' ? HOLD.exec(lock) : null) ?? []
  const leftMs = Number(until ?? 0) - Date.now()
  return leftMs > 0 && leftMs <= BELIEVED_MS
}
