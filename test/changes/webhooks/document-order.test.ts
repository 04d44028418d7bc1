import { expect } from 'chai'
import { openJobQueue } from '../../../src/mongo/jobs/job-queue.ts'
import { deliver, type Delivering } from '../../../src/changes/webhooks/deliver.ts'
import {
  DELIVERIES,
  deliveriesOf,
  type DeliveryRow,
  ensureDeliveries,
} from '../../../src/changes/webhooks/delivery.ts'
import { WAIT_MS } from '../../../src/changes/webhooks/document-order.ts'
import { ROOT } from '../../../src/people/access/principal.ts'
import { ensureWebhooks, type WebhookRow } from '../../../src/changes/webhooks/webhook.ts'
import { sampleSchema } from '../../people/access/sample-schema.ts'
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { putDelivery, putHook } from './stored-webhooks.ts'

const EVENTS = 60

describe('the order of events of one document', () => {
  let opened: TestDatabase
  let receiver: Receiver
  let delivering: Delivering
  let hook: WebhookRow
  let clock: number

  before(async () => {
    opened = await openTestDatabase('order')
    const { database } = opened
    receiver = await startReceiver()
    await ensureWebhooks(database)
    await ensureDeliveries(database)
    hook = await putHook(database, { ordered: true, url: receiver.url })
    const now = (): Date => new Date(clock)
    delivering = {
      database,
      schema: sampleSchema(),
      locales: { current: () => Promise.reject(new Error('a thin body asks for nothing')) },
      principals: {
        access: { ruledPrincipalOfAuthor: () => Promise.resolve(ROOT) },
        ruledAdministrator: () => Promise.resolve(null),
      },
      bounds: { maxEntries: 1, maxBytes: 1 },
      send: { allowHosts: ['127.0.0.1'], version: '1' },
      queue: await openJobQueue<DeliveryRow>({
        database,
        collection: DELIVERIES,
        tieBreak: 'place',
        leaseMs: 60_000,
        now,
      }),
      now,
    }
  })
  after(async () => {
    receiver.close()
    await opened.drop()
  })
  beforeEach(async () => {
    clock = Date.parse('2026-01-01')
    receiver.clear()
    receiver.answer(() => ({ status: 204 }))
    await deliveriesOf(opened.database).deleteMany({})
    for (let seq = 1; seq <= EVENTS; seq += 1) {
      await putDelivery(opened.database, seq, { dueAt: new Date(clock) })
    }
  })

  /** Claims and delivers due events with several workers. Returns the number of claims. */
  async function work(workers: number): Promise<number> {
    let claimed = 0
    const one = async (): Promise<void> => {
      for (;;) {
        const delivery = await delivering.queue.claim()
        if (delivery === null) return
        claimed += 1
        await deliver(delivering, hook, delivery)
      }
    }
    await Promise.all(Array.from({ length: workers }, one))
    return claimed
  }
  const seqs = (): readonly number[] => receiver.received.map(({ body }) => body.seq as number)
  const all = Array.from({ length: EVENTS }, (_, index) => index + 1)

  it('is kept by concurrent workers, which claim no backlog and miss no turn', async () => {
    const claimed = await work(6)
    expect(seqs()).to.deep.equal(all)
    expect(claimed).to.be.below(4 * EVENTS)
    expect(await deliveriesOf(opened.database).countDocuments({ open: 1 })).to.equal(0)
  })

  it('blocks later events while the first one is retried and continues immediately afterwards', async () => {
    receiver.answer(() => ({ status: 500 }))
    await work(3)
    expect(new Set(seqs())).to.deep.equal(new Set([1]))
    clock += WAIT_MS - 1
    await work(3)
    expect(seqs().length, 'none was due').to.equal(1)
    clock += 10_000
    receiver.answer(() => ({ status: 204 }))
    await work(3)
    expect(seqs().slice(1)).to.deep.equal(all)
  })

  it('continues after the worker that should wake the next event was killed', async () => {
    const first = await delivering.queue.claim({ place: { $lte: '0000000000000001:9' } })
    if (first === null) throw new Error('nothing is due')
    await work(2)
    expect(seqs()).to.deep.equal([])
    await delivering.queue.settle(first, { kind: 'done', set: { state: 'delivered' } })
    expect(await work(2), 'nobody was woken').to.equal(0)
    clock += WAIT_MS
    await work(2)
    expect(seqs()).to.deep.equal(all.slice(1))
  })
})
