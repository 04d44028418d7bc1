import type { Database } from '../../mongo/connection/database.ts'
import { deliveriesOf, type DeliveryRow } from './delivery.ts'

/** Delay of a delivery that waits for an earlier event of its document, unless it is woken. */
export const WAIT_MS = 5_000

type Queue = Pick<DeliveryRow, 'hook' | 'documentId'>

type Earlier = Pick<DeliveryRow, 'place' | 'dueAt'>

export async function earlierOf(
  database: Database,
  delivery: Queue & Pick<DeliveryRow, 'place'>,
): Promise<Earlier | null> {
  const first = await firstOf(database, delivery)
  return first === null || first.place >= delivery.place ? null : first
}

/** Postpones all events of the document at once, so that a backlog is not claimed one by one. */
export async function postpone(
  database: Database,
  { hook, documentId }: Queue,
  first: Earlier,
  now: Date,
): Promise<Date> {
  const dueAt = new Date(now.getTime() + WAIT_MS)
  await deliveriesOf(database).updateMany(
    {
      hook,
      documentId,
      open: 1,
      place: { $gt: first.place },
      lease: null,
      dueAt: { $lt: dueAt },
    },
    { $set: { dueAt } },
  )
  return dueAt
}

export async function wakeFirst(database: Database, queue: Queue, now: Date): Promise<void> {
  const first = await firstOf(database, queue)
  if (first === null || first.attempts > 0) return
  await deliveriesOf(database).updateOne(
    { _id: first._id, open: 1, lease: null, dueAt: { $gt: now } },
    { $set: { dueAt: now } },
  )
}

function firstOf(database: Database, { hook, documentId }: Queue): Promise<DeliveryRow | null> {
  return deliveriesOf(database).findOne({ hook, documentId, open: 1 }, { sort: { place: 1 } })
}
