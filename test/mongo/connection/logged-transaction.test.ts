import { expect } from 'chai'
import { writingAs } from '../../../src/mongo/connection/authorship.ts'
import {
  assertLater,
  commitId,
  commitIdOf,
  COMMITS,
  noteItems,
  type PendingRow,
} from '../../../src/mongo/connection/commit-record.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import type { CommitItem } from '../../../src/mongo/connection/database.ts'

const ITEM: CommitItem = {
  type: 'api::a.a',
  documentId: 'one',
  locale: 'en',
  status: 'draft',
  op: 'put',
  revision: 'r1',
}

describe('a transaction', () => {
  let test: TestDatabase
  const rows = () => test.database.collection<PendingRow>(COMMITS)

  before(async () => {
    test = await openTestDatabase('logged')
  })
  afterEach(() => rows().deleteMany({}))
  after(() => test.drop())

  it('writes one row with its items and their author', async () => {
    const by = { kind: 'user', id: 'u1', name: null }
    await writingAs({ by, requestId: 'q1' }, () =>
      test.database.transact((session) => {
        noteItems(session, [ITEM])
        noteItems(session, [{ ...ITEM, status: 'published' }])
        noteItems(session, [{ ...ITEM, revision: 'r2' }])
        return Promise.resolve()
      }),
    )
    const [row, ...others] = await rows().find().toArray()
    expect(others).to.deep.equal([])
    expect(row).to.deep.include({ pending: 1, by, requestId: 'q1' })
    expect(row?.items).to.deep.equal([
      { ...ITEM, status: 'published' },
      { ...ITEM, revision: 'r2' },
    ])
    expect(Math.abs((row?.at.getTime() ?? 0) - Date.now())).to.be.below(60_000)
  })

  it('writes no row if it is rolled back or has no items', async () => {
    await test.database.transact(() => Promise.resolve())
    const undone = test.database.transact((session) => {
      noteItems(session, [ITEM])
      return Promise.reject(new Error('undone'))
    })
    await undone.then(
      () => expect.fail('it went through'),
      (error: unknown) => expect(String(error)).to.contain('undone'),
    )
    expect(await rows().countDocuments()).to.equal(0)
  })

  it('is retried with a later id if it replaces a newer version', async () => {
    const earlier = commitId(null)
    const ids: string[] = []
    await test.database.transact((session) => {
      ids.push(commitIdOf(session))
      noteItems(session, [ITEM])
      assertLater(session, ids.length === 1 ? commitId(commitIdOf(session)) : earlier)
      return Promise.resolve()
    })
    expect(ids.length).to.equal(2)
    expect((await rows().find().toArray()).map(({ _id }) => _id)).to.deep.equal([ids[1]])
  })

  it('reports its items after the commit only', async () => {
    const told: string[] = []
    const stop = test.database.onCommit((items) => told.push(...items.map(({ type }) => type)))
    await test.database.transact((session) => {
      noteItems(session, [ITEM])
      expect(told).to.deep.equal([])
      return Promise.resolve()
    })
    await test.database
      .transact((session) => {
        noteItems(session, [{ ...ITEM, type: 'undone' }])
        return Promise.reject(new Error('undone'))
      })
      .catch(() => undefined)
    stop()
    await test.database.transact((session) => {
      noteItems(session, [{ ...ITEM, type: 'unheard' }])
      return Promise.resolve()
    })
    expect(told).to.deep.equal([ITEM.type])
  })

  it('refuses items after its commit is written', async () => {
    const late = test.database.transact(async (session) => {
      noteItems(session, [ITEM])
      await test.database.writeCommit(session)
      noteItems(session, [ITEM])
    })
    await late.then(
      () => expect.fail('it went through'),
      (error: unknown) => expect(String(error)).to.contain('written already'),
    )
  })
})

describe('snapshot reads', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('read_together')
  })
  after(() => test.drop())

  it('see the state of their first read and discard writes', async function () {
    if (!test.database.hasTransactions) return this.skip()
    const numbers = test.database.collection<{ readonly _id: number }>('numbers')
    await numbers.insertOne({ _id: 1 })
    const seen = await test.database.readTogether(async (session) => {
      const first = await numbers.find({}, { session }).toArray()
      await numbers.insertOne({ _id: 2 })
      const second = await numbers.find({}, { session }).toArray()
      await numbers.insertOne({ _id: 3 }, { session })
      return [first.length, second.length]
    })
    expect(seen).to.deep.equal([1, 1])
    expect(await numbers.distinct('_id')).to.deep.equal([1, 2])
  })
})
