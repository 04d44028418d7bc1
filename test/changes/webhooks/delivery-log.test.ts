import { expect } from 'chai'
import { deliveriesOf, ensureDeliveries } from '../../../src/changes/webhooks/delivery.ts'
import { KEPT_DAYS, sweepDeliveries } from '../../../src/changes/webhooks/delivery-log.ts'
import { ensureWebhooks } from '../../../src/changes/webhooks/webhook.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { putDelivery, putHook } from './stored-webhooks.ts'

const DAY = 86_400_000

describe('the delivery log', () => {
  let opened: TestDatabase

  before(async () => {
    opened = await openTestDatabase('deliverylog')
    await ensureWebhooks(opened.database)
    await ensureDeliveries(opened.database)
  })
  after(() => opened.drop())

  it('drops old settled deliveries and those of deleted webhooks only', async () => {
    const { database } = opened
    const now = new Date('2026-03-01T00:00:00Z')
    const ago = (days: number): Date => new Date(now.getTime() - days * DAY)
    const { open: _open, ...over } = { open: 1, state: 'delivered' } as const
    await putHook(database)
    const put = (seq: number, given: object) => putDelivery(database, seq, given)
    await put(1, { ...over, settledAt: ago(KEPT_DAYS + 1) })
    await put(2, { ...over, settledAt: ago(KEPT_DAYS - 1) })
    await put(3, { dueAt: ago(400) })
    await put(4, { hook: 'removed', dueAt: ago(2) })
    await put(5, { hook: 'made just now', dueAt: ago(0.5) })
    await sweepDeliveries(database, now)
    const left = await deliveriesOf(database).find({}).sort({ place: 1 }).toArray()
    expect(left.map(({ seq }) => seq)).to.deep.equal([2, 3, 5])
  })
})
