import { expect } from 'chai'
import { readHead } from '../../../src/mongo/commits/heads.ts'
import { deliveriesOf, ensureDeliveries } from '../../../src/changes/webhooks/delivery.ts'
import {
  MAX_PENDING_DELIVERIES,
  type MoveOptions,
  moveCommits,
} from '../../../src/changes/webhooks/move-commits.ts'
import {
  ensureWebhooks,
  type WebhookRow,
  webhooksOf,
} from '../../../src/changes/webhooks/webhook.ts'
import { sampleSchema } from '../../people/access/sample-schema.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { dropCommits, putCommits, putDelivery, putHook } from './stored-webhooks.ts'

describe('moveCommits', () => {
  let opened: TestDatabase
  let said: string[]
  let move: MoveOptions

  before(async () => {
    opened = await openTestDatabase('move')
    await opened.database.collection('quire_commits').createIndex({ seq: 1 })
    await ensureDeliveries(opened.database)
  })
  after(() => opened.drop())
  beforeEach(async () => {
    said = []
    const { database } = opened
    const onMissed: MoveOptions['onMissed'] = ({ name, from, to }) =>
      said.push(`${name} ${from}-${to}`)
    move = { database, schema: sampleSchema(), now: () => new Date(), onMissed }
    for (const name of ['quire_heads', 'quire_commits', 'quire_webhooks', 'quire_deliveries']) {
      await database.collection(name).deleteMany({})
    }
    await ensureWebhooks(database)
  })

  /** Repeats while there is more to do. */
  async function moveAll(): Promise<number> {
    for (let steps = 1; steps < 200; steps += 1) {
      if (!(await moveCommits(move, await readHead(opened.database)))) return steps
    }
    throw new Error('there is always more')
  }
  const numbers = async (): Promise<readonly number[]> => {
    const rows = await deliveriesOf(opened.database).find({}).sort({ place: 1 }).toArray()
    return rows.map(({ seq }) => seq)
  }
  const hook = async (): Promise<WebhookRow> => {
    const row = await webhooksOf(opened.database).findOne({ _id: 'hook' })
    if (row === null) throw new Error('it is gone')
    return row
  }
  const range = (from: number, to: number): readonly number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index)

  it('continues after the cursor in parts of the log', async () => {
    await putHook(opened.database, { cursor: 3 })
    await putCommits(opened.database, { to: 250 })
    expect(await moveAll()).to.equal(3)
    expect(await numbers()).to.deep.equal(range(4, 250))
    expect(await hook()).to.include({ cursor: 250, missed: null })
  })

  it('processes commits of many items as a whole and few of them at a time', async () => {
    await putHook(opened.database)
    await putCommits(opened.database, { to: 3, items: 600 })
    expect(await moveAll()).to.equal(3)
    expect((await numbers()).length).to.equal(1_800)
  })

  it('creates each delivery once when processes race', async () => {
    await putHook(opened.database)
    await putCommits(opened.database, { to: 120 })
    await Promise.all([moveAll(), moveAll(), moveAll()])
    expect(await numbers()).to.deep.equal(range(1, 120))
  })

  it('reports commits that the log has dropped and continues after them', async () => {
    await putHook(opened.database, { cursor: 10 })
    await putCommits(opened.database, { to: 300 })
    await dropCommits(opened.database, 150)
    await moveAll()
    expect(await numbers()).to.deep.equal(range(151, 300))
    const { cursor, missed } = await hook()
    expect(cursor).to.equal(300)
    expect(missed).to.include({ from: 11, to: 150 })
    expect(said).to.deep.equal(['site 11-150'])
  })

  it('notices dropped commits even with an outdated head', async () => {
    await putHook(opened.database, { cursor: 10 })
    await putCommits(opened.database, { to: 60 })
    const stale = await readHead(opened.database)
    await dropCommits(opened.database, 40)
    await moveCommits(move, stale)
    expect(await numbers()).to.deep.equal(range(41, 60))
    expect((await hook()).missed).to.include({ from: 11, to: 40 })
  })

  it('continues if the log is empty', async () => {
    await putHook(opened.database, { cursor: 10 })
    await putCommits(opened.database, { to: 60 })
    await dropCommits(opened.database, 60)
    await moveAll()
    expect(await numbers()).to.deep.equal([])
    expect(await hook()).to.include({ cursor: 60 })
    expect(said).to.deep.equal(['site 11-60'])
  })

  it('ends a replay if its commits are dropped', async () => {
    await putHook(opened.database, { cursor: 60, replay: { after: 10, to: 30 } })
    await putCommits(opened.database, { to: 60 })
    await dropCommits(opened.database, 20)
    await moveAll()
    expect(await numbers()).to.deep.equal(range(21, 30))
    expect((await hook()).replay).to.equal(null)
    await webhooksOf(opened.database).updateOne(
      { _id: 'hook' },
      { $set: { replay: { after: 1, to: 9 } } },
    )
    await moveAll()
    expect((await hook()).replay).to.equal(null)
  })

  it('leaves commits in the log while a receiver has too many open deliveries', async () => {
    await putHook(opened.database, { _id: 'slow', name: 'slow' })
    await putHook(opened.database)
    await putCommits(opened.database, { to: 5 })
    await putDelivery(opened.database, 1, { _id: 'slow:0', hook: 'slow' })
    const rows = Array.from({ length: MAX_PENDING_DELIVERIES - 1 }, (_, index) => ({
      _id: `slow:${index + 1}`,
      hook: 'slow',
      open: 1 as const,
    }))
    await opened.database
      .collection<{ readonly _id: string; readonly hook: string; readonly open: 1 }>(
        'quire_deliveries',
      )
      .insertMany(rows)
    await moveAll()
    const slow = await webhooksOf(opened.database).findOne({ _id: 'slow' })
    expect(slow).to.include({ cursor: 0 })
    expect(await hook(), 'another one').to.include({ cursor: 5 })
    await deliveriesOf(opened.database).deleteOne({ _id: 'slow:1' })
    await moveAll()
    expect(await webhooksOf(opened.database).findOne({ _id: 'slow' })).to.include({ cursor: 5 })
  })
})
