import { asCmsErrors } from '../mongo/connection/database-error.ts'
import type { Database } from '../mongo/connection/database.ts'
import { deliveriesOf, type DeliveryRow } from './delivery.ts'

/** How long what waits for an earlier event of its document is left alone, where nobody wakes it. */
export const WAIT_MS = 5_000

/** Whose turn it is among what is still to be delivered of one document. */
type Queue = Pick<DeliveryRow, 'hook' | 'documentId'>

type Earlier = Pick<DeliveryRow, 'place' | 'dueAt'>

/** The first unsettled event of the same document; null if it is this one. */
export async function earlierOf(
  database: Database,
  delivery: Queue & Pick<DeliveryRow, 'place'>,
): Promise<Earlier | null> {
  const first = await firstOf(database, delivery)
  return first === null || first.place >= delivery.place ? null : first
}

/**
 * Leaves all alone that come after `first` of its document, at once: a backlog of thousands is not looked at one by one.
 * Returns until when.
 */
export async function postpone(
  database: Database,
  { hook, documentId }: Queue,
  first: Earlier,
  now: Date,
): Promise<Date> {
  const dueAt = new Date(now.getTime() + WAIT_MS)
  await asCmsErrors(() =>
    deliveriesOf(database).updateMany(
      {
        hook,
        documentId,
        open: 1,
        place: { $gt: first.place },
        lease: null,
        dueAt: { $lt: dueAt },
      },
      { $set: { dueAt } },
      { maxTimeMS: database.queryTimeoutMs },
    ),
  )
  return dueAt
}

/** What is first by now need not wait for anything but its own next attempt. */
export async function wakeFirst(database: Database, queue: Queue, now: Date): Promise<void> {
  const first = await firstOf(database, queue)
  if (first === null || first.attempts > 0) return
  await asCmsErrors(() =>
    deliveriesOf(database).updateOne(
      { _id: first._id, open: 1, lease: null, dueAt: { $gt: now } },
      { $set: { dueAt: now } },
      { maxTimeMS: database.queryTimeoutMs },
    ),
  )
}

function firstOf(database: Database, { hook, documentId }: Queue): Promise<DeliveryRow | null> {
  return asCmsErrors(() =>
    deliveriesOf(database)
      .find({ hook, documentId, open: 1 }, { maxTimeMS: database.queryTimeoutMs })
      .sort({ place: 1 })
      .limit(1)
      .next(),
  )
}
