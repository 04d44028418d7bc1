import { type ClaimedJob, type JobQueue, LeaseLost } from '../../mongo/jobs/job-queue.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { DeliveryRow } from './delivery.ts'
import { earlierOf, postpone, wakeFirst } from './document-order.ts'
import { bodyFor, type Payload, type PayloadSources } from './payload.ts'
import { delayAfter } from './retries.ts'
import {
  type DeliveryOutcome,
  sendRequest,
  type RequestOptions,
  TIMEOUT_MS,
} from './send-request.ts'
import { signedHeaders } from './sign.ts'
import { customHeaders } from './webhook-headers.ts'
import { WEBHOOK_TYPE, type WebhookRow, webhooksOf } from './webhook.ts'

/** Maximum time of an attempt: read the content, send the request and store the outcome. */
export const DELIVERY_LEASE_MS = 25_000

const SETTLE_MS = 2_000

/** A request must start before this time, so that the lease covers its timeout. */
const LATEST_MS = DELIVERY_LEASE_MS - TIMEOUT_MS - SETTLE_MS

export interface Delivering extends PayloadSources {
  readonly queue: JobQueue<DeliveryRow>
  readonly send: RequestOptions
  readonly now: () => Date
}

export async function deliver(
  delivering: Delivering,
  hook: WebhookRow,
  delivery: ClaimedJob<DeliveryRow>,
): Promise<void> {
  try {
    await attempt(delivering, hook, delivery)
  } catch (error) {
    // The attempt outlasted its lease, so another process has claimed the delivery.
    if (!(error instanceof LeaseLost)) throw error
  }
}

async function attempt(
  delivering: Delivering,
  hook: WebhookRow,
  delivery: ClaimedJob<DeliveryRow>,
): Promise<void> {
  const { database, queue, now } = delivering
  const started = performance.now()
  const before = hook.ordered ? await earlierOf(database, delivery) : null
  if (before !== null) {
    await putBack(queue, delivery, await postpone(database, delivery, before, now()))
    await wakeFirst(database, delivery, now()) // the earlier event may have settled before the postponement
    return
  }
  const { body, withheld } = await bodyFor(delivering, hook, delivery)
  if (performance.now() - started > LATEST_MS) {
    await putBack(queue, delivery, now())
    return
  }
  const outcome = await sendTo(delivering, hook, { id: delivery._id, event: delivery.event, body })
  await settle(delivering, hook, delivery, { ...outcome, withheld })
}

export function sendTo(
  { send, now }: Pick<Delivering, 'send' | 'now'>,
  hook: Pick<WebhookRow, 'url' | 'secrets' | 'headers'>,
  { id, event, body }: { readonly id: string; readonly event: string; readonly body: string },
): Promise<DeliveryOutcome> {
  const seconds = Math.floor(now().getTime() / 1_000)
  const headers = {
    ...customHeaders(hook),
    'content-type': 'application/json',
    'x-strapi-event': event,
    ...signedHeaders({ id, seconds, body }, hook.secrets),
  }
  return sendRequest({ url: hook.url, headers, body }, send)
}

function putBack(
  queue: JobQueue<DeliveryRow>,
  delivery: ClaimedJob<DeliveryRow>,
  dueAt: Date,
): Promise<void> {
  return queue.settle(delivery, {
    kind: 'later',
    dueAt,
    set: { attempts: delivery.attempts - 1 },
  })
}

async function settle(
  { database, queue, now }: Delivering,
  hook: WebhookRow,
  delivery: ClaimedJob<DeliveryRow>,
  { retryAfterMs, ...outcome }: DeliveryOutcome & Pick<Payload, 'withheld'>,
): Promise<void> {
  const at = now()
  const last = { ...outcome, at }
  const isGone = outcome.status === 410
  const delay =
    outcome.error === null || isGone
      ? null
      : delayAfter({ attempts: delivery.attempts, retryAfterMs })
  if (delay !== null) {
    await queue.settle(delivery, {
      kind: 'later',
      dueAt: new Date(at.getTime() + delay),
      set: { last },
    })
    return
  }
  const state = outcome.error === null ? 'delivered' : 'failed'
  if (isGone) await disable(database, hook, at) // before the delivery settles, so that a failed delivery is not replayed to this address
  await queue.settle(delivery, { kind: 'done', set: { state, last, settledAt: at } })
  if (hook.ordered) await wakeFirst(database, delivery, at)
}

/** Disables a webhook unless its URL has changed. The log entry has no author. */
function disable(database: Database, { _id, url }: WebhookRow, at: Date): Promise<void> {
  return database.transact(async (session) => {
    const { matchedCount } = await webhooksOf(database).updateOne(
      { _id, url, disabledAt: null },
      { $set: { disabledAt: at, disabledBecause: 'gone', updatedAt: at } },
      { session },
    )
    if (matchedCount > 0) noteRow(session, 'put', { type: WEBHOOK_TYPE, documentId: _id })
  })
}
