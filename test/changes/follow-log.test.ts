import { expect } from 'chai'
import type { Collection } from 'mongodb'
import { type Head, readHead } from '../../src/mongo/commits/heads.ts'
import { followLog, moveCursor, type StoredCursor } from '../../src/changes/follow-log.ts'
import { ensureWebhooks } from '../../src/changes/webhooks/webhook.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { dropCommits, putCommits } from './webhooks/stored-webhooks.ts'

const HEAD: Head = {
  _id: 'main',
  log: 'l',
  seq: 0,
  floor: 0,
  version: 0,
  types: [],
  assigning: null,
}

describe('followLog', () => {
  /** A log whose heads the test announces. */
  function openLog() {
    const listeners = new Set<(head: Head) => void>()
    let head = HEAD
    return {
      listeners,
      head: () => head,
      onHead: (listener: (head: Head) => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      moveTo: (seq: number): void => {
        head = { ...HEAD, seq }
        for (const listener of listeners) listener(head)
      },
    }
  }

  it('steps at the start and for a new head, until no commits are left', async () => {
    const log = openLog()
    const steps: number[] = []
    const step = ({ seq }: Head): Promise<boolean> => {
      steps.push(seq)
      return Promise.resolve(seq === 7 && steps.length < 4)
    }
    const follower = followLog({ commitLog: log, step, onError: () => expect.fail('failed') })
    await until(() => Promise.resolve(steps.length === 1), 1_000)
    log.moveTo(7)
    await until(() => Promise.resolve(steps.length === 4), 1_000)
    await follower.close()
    expect(steps).to.deep.equal([0, 7, 7, 7])
    expect(log.listeners.size).to.equal(0)
  })

  it('reports errors and continues', async () => {
    const log = openLog()
    const errors: unknown[] = []
    let steps = 0
    const step = (): Promise<boolean> => {
      steps += 1
      return steps === 1 ? Promise.reject(new Error('lost')) : Promise.resolve(false)
    }
    const follower = followLog({ commitLog: log, step, onError: (error) => errors.push(error) })
    await until(() => Promise.resolve(errors.length === 1), 1_000)
    follower.wake()
    await until(() => Promise.resolve(steps === 2), 1_000)
    await follower.close()
  })
})

interface Row {
  readonly _id: string
  readonly cursor: number
}

describe('moveCursor', () => {
  let opened: TestDatabase
  let rows: Collection<Row>
  let taken: Collection<{ readonly _id: string; readonly seq: number }>

  before(async () => {
    opened = await openTestDatabase('cursor')
    await opened.database.collection('quire_commits').createIndex({ seq: 1 })
    rows = opened.database.collection('rows')
    taken = opened.database.collection('taken')
    for (const each of [rows, taken]) await each.createIndex({ seq: 1 })
  })
  after(() => opened.drop())
  beforeEach(async () => {
    for (const name of ['quire_heads', 'quire_commits', 'rows', 'taken']) {
      await opened.database.collection(name).deleteMany({})
    }
    await ensureWebhooks(opened.database)
    await rows.insertOne({ _id: 'follower', cursor: 0 })
  })

  const cursorTo = (to: number): StoredCursor<Row> => ({
    collection: 'rows',
    limits: { commits: 10, items: 100 },
    range: ({ cursor }) => (cursor < to ? { after: cursor, to } : null),
    take: async (_row, commits, session) => {
      const each = commits.map(({ _id, seq }) => ({ _id, seq }))
      if (each.length > 0) await taken.insertMany(each, { session })
    },
    moved: (_row, { reached }) => ({ cursor: reached }),
  })
  const row = async (): Promise<Row> => (await rows.findOne({})) ?? expect.fail('it is gone')
  const moveAll = async (cursor: StoredCursor<Row>) => {
    const missed: object[] = []
    for (;;) {
      const move = await moveCursor(opened.database, cursor, await row())
      if (move.missed !== null) missed.push(move.missed)
      if (!move.hasMore) return missed
    }
  }
  const seqs = async () => (await taken.find({}).sort({ seq: 1 }).toArray()).map(({ seq }) => seq)

  it('takes each commit once when processes race', async () => {
    await putCommits(opened.database, { to: 45 })
    await Promise.all([1, 2, 3].map(() => moveAll(cursorTo(45))))
    expect(await seqs()).to.deep.equal(Array.from({ length: 45 }, (_, index) => index + 1))
    expect(await row()).to.include({ cursor: 45 })
  })

  it('does not move if the effects fail', async () => {
    await putCommits(opened.database, { to: 5 })
    const take = async (...given: Parameters<StoredCursor<Row>['take']>): Promise<void> => {
      await cursorTo(5).take(...given)
      throw new Error('refused')
    }
    const moving = moveAll({ ...cursorTo(5), take })
    expect(await moving.catch((error: unknown) => String(error))).to.equal('Error: refused')
    expect([await seqs(), (await row()).cursor]).to.deep.equal([[], 0])
  })

  it('reports commits that the log deleted, once, and continues after them', async () => {
    await putCommits(opened.database, { to: 30 })
    await dropCommits(opened.database, 12)
    const { seq } = await readHead(opened.database)
    const missed = await Promise.all([moveAll(cursorTo(seq)), moveAll(cursorTo(seq))])
    expect(missed.flat()).to.deep.equal([{ from: 1, to: 12 }])
    expect((await seqs())[0]).to.equal(13)
  })
})
