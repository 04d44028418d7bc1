import { expect } from 'chai'
import { openSessionRows, type SessionRows } from '../../../src/people/sign-in/session-rows.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

interface Row {
  readonly _id: string
  readonly who: string
  readonly usedAt: Date
  readonly expiresAt: Date
  readonly endsAt: Date
}

const at = (ms: number): Date => new Date(ms)

describe('sign-in/session-rows', () => {
  let test: TestDatabase
  let nowMs: number
  let sessions: SessionRows<Row>

  before(async () => {
    test = await openTestDatabase('session_rows')
  })
  beforeEach(async () => {
    nowMs = 1_000_000
    await test.database.collection('sessions').deleteMany({})
    sessions = await openSessionRows<Row>({
      db: test.database,
      collection: 'sessions',
      owner: 'who',
      usedAt: 'usedAt',
      now: () => at(nowMs),
    })
  })
  after(() => test.drop())

  const add = async (_id: string, more: Partial<Row> = {}): Promise<void> => {
    const later = at(nowMs + 1_000_000)
    await sessions.rows.insertOne({
      _id,
      who: 'ada',
      usedAt: at(nowMs),
      expiresAt: later,
      endsAt: later,
      ...more,
    })
  }
  const count = (): Promise<number> => sessions.rows.countDocuments()

  it('lists the live sessions of one owner, the last used first', async () => {
    await add('old', { usedAt: at(1) })
    await add('new')
    await add('idle', { expiresAt: at(nowMs) })
    await add('ended', { endsAt: at(nowMs) })
    await add('other', { who: 'bob' })
    expect((await sessions.list('ada')).map(({ _id }) => _id)).to.deep.equal(['new', 'old'])
  })

  it('deletes expired rows at most once per minute, and again after the clock was set back', async () => {
    const expired = { expiresAt: at(0) }
    await add('first', expired)
    await sessions.sweep()
    expect(await count()).to.equal(0)
    await add('second', expired)
    nowMs += 59_999
    await sessions.sweep()
    expect(await count()).to.equal(1)
    nowMs += 1
    await sessions.sweep()
    expect(await count()).to.equal(0)
    await add('third', expired)
    nowMs = 1
    await sessions.sweep()
    expect(await count()).to.equal(0)
  })
})
