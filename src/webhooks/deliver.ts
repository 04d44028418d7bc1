import { type Claimed, type JobQueue, LeaseLost } from '../jobs/job-queue.ts'
import { noteRow } from '../mongo/connection/commit-record.ts'
import type { Database } from '../mongo/connection/database.ts'
import type { DeliveryRow } from './delivery.ts'
import { earlierOf, postpone, wakeFirst } from './document-order.ts'
import { bodyFor, type PayloadSources } from './payload.ts'
import { delayAfter } from './retries.ts'
import { type Outcome, sendRequest, type SendOptions, TIMEOUT_MS } from './send-request.ts'
import { signedHeaders } from './sign.ts'
import { WEBHOOK_TYPE, type WebhookRow, webhooksOf } from './webhook.ts'

/** The longest that an attempt may take: to read what is sent, to send it, to write down what became of it. */
export const LEASE_MS = 25_000

/** To write down what became of it. */
const SETTLE_MS = 2_000

/** Who has not begun to send by then does not: the lease must last for all of it. */
const LATEST_MS = LEASE_MS - TIMEOUT_MS - SETTLE_MS

export interface Delivering extends PayloadSources {
  readonly queue: JobQueue<DeliveryRow>
  readonly send: SendOptions
  readonly now: () => Date
}

/** Sends one delivery that was claimed, and writes down what became of it. */
export async function deliver(
  delivering: Delivering,
  hook: WebhookRow,
  delivery: Claimed<DeliveryRow>,
): Promise<void> {
  try {
    await attempt(delivering, hook, delivery)
  } catch (error) {
    // Another process has it now: the attempt was slower than it may be.
    if (!(error instanceof LeaseLost)) throw error
  }
}

async function attempt(
  delivering: Delivering,
  hook: WebhookRow,
  delivery: Claimed<DeliveryRow>,
): Promise<void> {
  const { database, queue, now } = delivering
  const started = performance.now()
  const before = hook.ordered ? await earlierOf(database, delivery) : null
  if (before !== null) {
    await putBack(queue, delivery, await postpone(database, delivery, before, now()))
    await wakeFirst(database, delivery, now()) // it may have ended meanwhile, and woken nobody
    return
  }
  const body = await bodyFor(delivering, hook, delivery)
  if (performance.now() - started > LATEST_MS) {
    await putBack(queue, delivery, now())
    return
  }
  const outcome = await sendTo(delivering, hook, { id: delivery._id, event: delivery.event, body })
  await settle(delivering, hook, delivery, outcome)
}

/** Sends one message to a webhook, signed. */
export function sendTo(
  { send, now }: Pick<Delivering, 'send' | 'now'>,
  hook: Pick<WebhookRow, 'url' | 'secrets'>,
  { id, event, body }: { readonly id: string; readonly event: string; readonly body: string },
): Promise<Outcome> {
  const seconds = Math.floor(now().getTime() / 1_000)
  const headers = {
    'content-type': 'application/json',
    'x-strapi-event': event,
    ...signedHeaders({ id, seconds, body }, hook.secrets),
  }
  return sendRequest({ url: hook.url, headers, body }, send)
}

/** As if it had not been claimed. */
function putBack(
  queue: JobQueue<DeliveryRow>,
  delivery: Claimed<DeliveryRow>,
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
  delivery: Claimed<DeliveryRow>,
  { retryAfterMs, ...outcome }: Outcome,
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
  if (isGone) await disable(database, hook, at) // first: nobody sees that it failed and may send it again
  await queue.settle(delivery, { kind: 'done', set: { state, last, settledAt: at } })
  if (hook.ordered) await wakeFirst(database, delivery, at)
}

/** Unless it leads elsewhere by now. The log says that nobody has asked for it. */
function disable(database: Database, { _id, url }: WebhookRow, at: Date): Promise<void> {
  return database.transact(async (session) => {
    const { matchedCount } = await webhooksOf(database).updateOne(
      { _id, url, disabledAt: null },
      { $set: { disabledAt: at, disabledBecause: 'gone', updatedAt: at } },
      { session, maxTimeMS: database.queryTimeoutMs },
    )
    if (matchedCount > 0) noteRow(session, 'put', { type: WEBHOOK_TYPE, documentId: _id })
  })
}
