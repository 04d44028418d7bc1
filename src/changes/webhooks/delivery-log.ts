import Joi from 'joi'
import { readInput } from '../../people/access/input.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { deliveriesOf, type DeliveryRow } from './delivery.ts'
import { webhooksOf } from './webhook.ts'

export type Delivery = Omit<
  DeliveryRow,
  '_id' | 'hook' | 'open' | 'lease' | 'leasedUntil' | 'place' | 'dueAt'
> & {
  readonly id: string
  readonly nextAttemptAt: Date | null
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[]
  readonly next: string | null
}

interface DeliveryRequest {
  readonly state?: DeliveryRow['state']
  readonly before?: string
  readonly limit?: string
}

const ASKED = Joi.object<DeliveryRequest>({
  state: Joi.valid('due', 'delivered', 'failed'),
  before: Joi.string().pattern(/^\d{16}:\d{4}$/),
  limit: Joi.string().pattern(/^(?:[1-9]\d?|100)$/),
})

export async function listDeliveries(
  database: Database,
  hook: string,
  query: unknown,
): Promise<DeliveryPage> {
  const { state, before, limit = '25' } = readInput(ASKED, query)
  const most = Number(limit)
  const found = await deliveriesOf(database)
    .find({
      hook,
      ...(before !== undefined && { place: { $lt: before } }),
      ...(state !== undefined && { state }),
    })
    .sort({ place: -1 })
    .limit(most + 1)
    .toArray()
  const page = found.slice(0, most)
  return {
    deliveries: page.map(toDelivery),
    next: found.length > most ? (page.at(-1)?.place ?? null) : null,
  }
}

function toDelivery(row: DeliveryRow): Delivery {
  const { _id, hook: _hook, open: _open, lease: _lease, leasedUntil: _until, ...rest } = row
  const { place: _place, dueAt, ...facts } = rest
  return { id: _id, ...facts, nextAttemptAt: row.state === 'due' ? dueAt : null }
}

const DAY_MS = 86_400_000

export const KEPT_DAYS = 14

export async function sweepDeliveries(database: Database, now: Date): Promise<void> {
  const ago = (ms: number): Date => new Date(now.getTime() - ms)
  const rows = deliveriesOf(database)
  await rows.deleteMany({ settledAt: { $lt: ago(KEPT_DAYS * DAY_MS) } })
  const hooks = await webhooksOf(database)
    .find({}, { projection: { _id: 1 } })
    .toArray()
  // Newer deliveries may belong to a webhook that was created after the list was read.
  const abandoned = { open: 1, dueAt: { $lt: ago(DAY_MS) } } as const
  await rows.deleteMany({ ...abandoned, hook: { $nin: hooks.map(({ _id }) => _id) } })
}
