import { openJobQueue } from '../../mongo/jobs/job-queue.ts'
import { type Lane, openRunner } from '../../mongo/jobs/runner.ts'
import type { CommitLog } from '../../mongo/commits/commit-log.ts'
import { tryLease } from '../../mongo/system/lease.ts'
import { followLog } from '../follow-log.ts'
import { deliver, type Delivering, DELIVERY_LEASE_MS } from './deliver.ts'
import { DELIVERIES, type DeliveryRow, ensureDeliveries } from './delivery.ts'
import { sweepDeliveries } from './delivery-log.ts'
import { type MoveOptions, moveCommits } from './move-commits.ts'
import type { PayloadSources } from './payload.ts'
import type { RequestOptions } from './send-request.ts'
import { testWebhook, type Tested } from './test-webhook.ts'
import { ensureWebhooks, type WebhookRow, webhooksOf } from './webhook.ts'

export interface WebhooksOptions extends PayloadSources {
  readonly commitLog: Pick<CommitLog, 'head' | 'onHead'>
  readonly send: RequestOptions
  readonly now: () => Date
  readonly onBackgroundError: (error: unknown) => void
  readonly onMissed: MoveOptions['onMissed']
}

export interface Webhooks {
  test(id: string): Promise<Tested>
  wake(): void
  close(): Promise<void>
}

/** The second limit keeps a slow receiver from blocking others. */
const CONCURRENCY = 16
const CONCURRENCY_PER_WEBHOOK = 4

const SWEEP_INTERVAL_MS = 3_600_000

export async function openWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { database, commitLog, onBackgroundError, now } = options
  await ensureWebhooks(database)
  await ensureDeliveries(database)
  const queue = await openJobQueue<DeliveryRow>({
    database,
    collection: DELIVERIES,
    tieBreak: 'place', // sends the first event of a document before its successors
    leaseMs: DELIVERY_LEASE_MS,
    now,
  })
  const delivering: Delivering = { ...options, queue }
  const runner = openRunner({ lanes: [laneOf(delivering)], onError: onBackgroundError })
  const follower = followLog({
    commitLog,
    step: async (head) => {
      const more = await moveCommits(options, head)
      runner.wake()
      return more
    },
    onError: onBackgroundError,
  })
  const sweep = setInterval(() => {
    tryLease(database, 'webhooks', SWEEP_INTERVAL_MS / 2, () =>
      sweepDeliveries(database, now()),
    ).catch(onBackgroundError)
  }, SWEEP_INTERVAL_MS)
  sweep.unref()
  return {
    test: (id) => testWebhook(delivering, id),
    wake: () => follower.wake(),
    close: async () => {
      clearInterval(sweep)
      await follower.close()
      await runner.close()
    },
  }
}

function laneOf(delivering: Delivering): Lane {
  const { queue } = delivering
  const sending = new Map<string, number>()
  const count = (id: string, by: number): void => {
    sending.set(id, (sending.get(id) ?? 0) + by)
  }
  return {
    atOnce: CONCURRENCY,
    next: async () => {
      const hooks = await workingHooks(delivering)
      const free = hooks.filter(({ _id }) => (sending.get(_id) ?? 0) < CONCURRENCY_PER_WEBHOOK)
      if (free.length === 0) return null
      const delivery = await queue.claim({ hook: { $in: free.map(({ _id }) => _id) } })
      const hook = free.find(({ _id }) => _id === delivery?.hook)
      if (delivery === null || hook === undefined) return null
      count(hook._id, 1)
      return async () => {
        try {
          await deliver(delivering, hook, delivery)
        } finally {
          count(hook._id, -1)
        }
      }
    },
  }
}

function workingHooks({ database }: Delivering): Promise<readonly WebhookRow[]> {
  return webhooksOf(database).find({ disabledAt: null }).toArray()
}
