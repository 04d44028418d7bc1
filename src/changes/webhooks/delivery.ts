import { type JobRow, newJob } from '../../mongo/jobs/job-queue.ts'
import type { CommitItem, Database } from '../../mongo/connection/database.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import type { WebhookEvent } from './events.ts'
import type { Withheld } from './owner-rights.ts'
import type { DeliveryOutcome } from './send-request.ts'

export const DELIVERIES = 'quire_deliveries'

export interface DeliveryRow extends JobRow, Pick<CommitItem, Facts> {
  /** Webhook, commit and index of the item: the `webhook-id` of every attempt and replay. */
  readonly _id: string
  readonly hook: string
  readonly event: WebhookEvent
  readonly seq: number
  /** Sorts as text in the order of events. */
  readonly place: string
  readonly at: Date
  readonly state: 'due' | 'delivered' | 'failed'
  readonly last: LastAttempt | null
  readonly settledAt: Date | null
}

interface LastAttempt extends Omit<DeliveryOutcome, 'retryAfterMs'> {
  readonly at: Date
  /** Why the message had no content. Absent in rows of earlier releases. */
  readonly withheld?: Withheld | null
}

type Facts = 'type' | 'documentId' | 'locale' | 'status' | 'revision'

export const deliveriesOf = (database: Database) => database.table<DeliveryRow>(DELIVERIES)

export async function ensureDeliveries(database: Database): Promise<void> {
  await ensureIndexes(deliveriesOf(database), [
    { key: { hook: 1, place: -1 }, name: 'log' },
    {
      key: { hook: 1, documentId: 1, place: 1 },
      name: 'order',
      partialFilterExpression: { open: 1 },
    },
    { key: { settledAt: 1 }, name: 'settled' },
  ])
}

export function deliveryPosition(seq: number, item: number): string {
  return `${String(seq).padStart(16, '0')}:${String(item).padStart(4, '0')}`
}

export function freshState(now: Date) {
  return { ...newJob(now), state: 'due', last: null, settledAt: null } as const
}
