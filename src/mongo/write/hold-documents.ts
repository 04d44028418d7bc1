import { randomBytes } from 'node:crypto'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { asCmsErrors, HeldByRelease, isOutOfTime } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { LOCK, newRevision } from '../versions/version-fields.ts'

/** Longer than it takes to lock all documents of a release. After that the locks block other writers. */
const HOLD_MS = 10_000
/** Time limit for holding all documents with one command. Under constant writes they may never be free together. */
const TOGETHER_MS = 250
const CONCURRENCY = 8
/** A hold that ends later than this was written by a process with a wrong clock. */
const MAX_PLAUSIBLE_MS = 2 * HOLD_MS

const HOLD = /^hold:(\d+):/

export interface HeldDocuments {
  readonly plan: ContentTypePlan
  readonly documentIds: readonly string[]
}

/**
 * Blocks other writers of many documents, because a large transaction would lose to writers of single documents.
 * The hold ends with the locks of the work, on failure, or after ten seconds.
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
    await endHolds(database, documents, hold).catch(() => undefined) // the holds expire
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
      await Promise.all(Array.from({ length: CONCURRENCY }, placeOne))
    }
  }
}

interface LockChange {
  readonly to: string
  /** If set, only this value is replaced. */
  readonly from?: string
  readonly maxTimeMS?: number
}

async function setLock(
  database: Database,
  { plan, documentIds }: HeldDocuments,
  { to, from, maxTimeMS = database.queryTimeoutMs }: LockChange,
): Promise<void> {
  await database
    .collection(plan.collectionName)
    .updateMany(
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

/** @throws HeldByRelease, which the transaction retries like a conflict of the database */
export function assertNotHeld(lock: unknown): void {
  if (isHeld(lock)) throw new HeldByRelease()
}

export function isHeld(lock: unknown): boolean {
  const [, until] = (typeof lock === 'string' ? HOLD.exec(lock) : null) ?? []
  const leftMs = Number(until ?? 0) - Date.now()
  return leftMs > 0 && leftMs <= MAX_PLAUSIBLE_MS
}
