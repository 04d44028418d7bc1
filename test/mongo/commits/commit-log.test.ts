import { expect } from 'chai'
import { recordBulk, releaseOverdue } from '../../../src/mongo/commits/bulk-intents.ts'
import { openCommitLog } from '../../../src/mongo/commits/commit-log.ts'
import { moveHead, readHead } from '../../../src/mongo/commits/heads.ts'
import { examineLog } from '../../../src/mongo/commits/log-health.ts'
import { observeLog } from '../../../src/mongo/commits/observe-log.ts'
import { readCommits } from '../../../src/mongo/commits/read-commits.ts'
import { restartLog } from '../../../src/mongo/commits/restart-log.ts'
import { sweepLog } from '../../../src/mongo/commits/retention.ts'
import { BATCH, sequence, sequenceAll } from '../../../src/mongo/commits/sequencer.ts'
import {
  commitId,
  COMMITS,
  MAX_ITEMS,
  type NotedItem,
  noteItems,
  type PendingRow,
  rowsOf,
} from '../../../src/mongo/connection/commit-record.ts'
import type { CommitItem, Database } from '../../../src/mongo/connection/database.ts'
import { HISTORY_PREFIX } from '../../../src/mongo/connection/history-rows.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'
import { clearWorld, openWorld, wholeLog } from './log-world.ts'

function itemOf(documentId: string, type = 'api::a.a'): CommitItem {
  return { type, documentId, locale: '', status: 'published', op: 'put', revision: documentId }
}

function commit(database: Database, ...items: readonly NotedItem[]): Promise<void> {
  return database.transact((session) => {
    noteItems(session, items)
    return Promise.resolve()
  })
}

/** Notes the time limit of each read of the head. */
function watchHead(database: Database, limits: unknown[]): Database {
  const findOne = (rows: ReturnType<Database['collection']>) => {
    return (filter: object, options?: { readonly maxTimeMS?: number }) => {
      limits.push(options?.maxTimeMS)
      return rows.findOne(filter, options)
    }
  }
  const collection = (name: string) => {
    const rows = database.collection(name)
    const get = (_: object, key: string | symbol): unknown =>
      key === 'findOne' ? findOne(rows) : Reflect.get(rows, key)
    return name === 'quire_heads' ? new Proxy(rows, { get }) : rows
  }
  return { ...database, collection } as Database
}

describe('the commit log', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('commit_log')
    await openWorld(test.database)
  })
  afterEach(() => clearWorld(test.database))
  after(() => test.drop())

  const documents = async (): Promise<readonly (readonly string[])[]> =>
    (await wholeLog(test.database)).map(({ items }) => items.map(({ documentId }) => documentId))

  /** Stores many commits at once in the form that transactions leave. */
  async function store(commits: readonly (readonly CommitItem[])[]): Promise<void> {
    const by = { kind: 'system', id: null, name: null }
    let last: string | null = null
    const rows = commits.flatMap((items) => {
      last = commitId(last)
      return rowsOf({ id: last, by, requestId: null }, items)
    })
    await test.database.collection<PendingRow>(COMMITS).insertMany([...rows])
  }

  it('numbers several batches in order and records the last change of each type', async () => {
    const ids = Array.from({ length: BATCH + 3 }, (_, index) => `a${index}`)
    await store(ids.map((id) => [itemOf(id, id === 'a7' ? 'api::b.b' : undefined)]))
    const first = await sequence(test.database)
    expect([first.count, first.more, first.head?.seq]).to.deep.equal([BATCH, true, BATCH])
    const head = await sequenceAll(test.database)
    expect(head).to.deep.include({ seq: BATCH + 3, assigning: null })
    expect(head.types).to.have.deep.members([
      { type: 'api::a.a', seq: BATCH + 3 },
      { type: 'api::b.b', seq: 8 },
    ])
    expect(await documents()).to.deep.equal(ids.map((id) => [id]))
  })

  it('keeps the rows of a large commit together', async () => {
    const items = Array.from({ length: 3 * MAX_ITEMS }, (_, index) => itemOf(`b${index}`))
    await store([...Array.from({ length: BATCH - 2 }, (_, index) => [itemOf(`a${index}`)]), items])
    const { count } = await sequence(test.database)
    expect(count, 'the three rows do not fit').to.equal(BATCH - 2)
    await sequenceAll(test.database)
    const last = (await wholeLog(test.database)).slice(-3)
    expect(last.map(({ part }) => part)).to.deep.equal([
      [0, 3],
      [1, 3],
      [2, 3],
    ])
    expect(last.flatMap(({ items: found }) => found)).to.deep.equal(items)
  })

  it('gives each row a unique number when processes number concurrently', async () => {
    for (let each = 0; each < 40; each += 1) await commit(test.database, itemOf(`a${each}`))
    await Promise.all(Array.from({ length: 5 }, () => sequenceAll(test.database)))
    const log = await wholeLog(test.database)
    expect(log.map(({ seq }) => seq)).to.deep.equal(log.map((_, index) => index + 1))
    expect(log.length).to.equal(40)
  })

  it('refuses to move from an outdated head', async () => {
    const before = await readHead(test.database)
    await commit(test.database, itemOf('a'))
    await sequenceAll(test.database)
    expect(await moveHead(test.database, before, { seq: 0 })).to.equal(null)
  })

  it('removes rows past retention from the oldest on and advances the floor', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await commit(test.database, itemOf(id))
    await sequenceAll(test.database)
    const age = (seq: number, at: Date): Promise<unknown> =>
      test.database.collection(COMMITS).updateOne({ seq }, { $set: { at } })
    for (const seq of [1, 2, 4]) await age(seq, new Date(0))
    expect(await sweepLog(test.database, { log: new Date(1), history: new Date(1) })).to.equal(2)
    expect((await readHead(test.database)).floor).to.equal(2)
    expect(await documents(), 'none after one that stays').to.deep.equal([['c'], ['d']])
    expect(await sweepLog(test.database, { log: new Date(1), history: new Date(1) })).to.equal(0)
    await commit(test.database, itemOf('pending'))
    await age(3, new Date(0))
    expect(await sweepLog(test.database, { log: new Date(1), history: new Date(1) })).to.equal(2)
    await sequenceAll(test.database)
    expect(await documents(), 'nothing without a number').to.deep.equal([['pending']])
  })

  it('keeps rows with history longer, below the floor', async () => {
    const content = { title: 'a' }
    await commit(test.database, { ...itemOf('kept'), content })
    await commit(test.database, itemOf('gone'))
    await commit(test.database, { ...itemOf('old'), content })
    await sequenceAll(test.database)
    const rows = test.database.collection<{ readonly _id: string }>(COMMITS)
    await rows.updateMany({ seq: { $in: [1, 2, 3] } }, { $set: { at: new Date(5) } })
    expect(await sweepLog(test.database, { log: new Date(6), history: new Date(5) })).to.equal(1)
    expect((await readHead(test.database)).floor).to.equal(3)
    expect(await rows.countDocuments({ history: 1 })).to.equal(2)
    expect(await rows.countDocuments({ _id: { $gte: HISTORY_PREFIX } })).to.equal(2)
    expect(await sweepLog(test.database, { log: new Date(6), history: new Date(6) })).to.equal(2)
    expect(await rows.countDocuments({})).to.equal(0)
  })

  it('does not read rows again that this process numbered', async () => {
    const before = await sequenceAll(test.database)
    for (const id of ['a', 'b']) await commit(test.database, itemOf(id))
    const { numbered } = await sequence(test.database)
    expect(numbered?.from).to.equal(before.seq + 1)
    await commit(test.database, itemOf('c', 'api::c.c'))
    await sequenceAll(test.database) // simulates another process
    const known = new Map(
      numbered?.commits.map((one, index) => [before.seq + 1 + index, one] as const),
    )
    const rows = test.database.collection<{ readonly _id: string }>(COMMITS)
    await rows.deleteMany({ _id: { $in: numbered?.commits.map(({ id }) => id) ?? [] } })
    const { commits } = await observeLog(test.database, before, known)
    expect(commits.map(({ types }) => types)).to.deep.equal([
      ['api::a.a'],
      ['api::a.a'],
      ['api::c.c'],
    ])
    expect(
      (await observeLog(test.database, before)).commits,
      'unless it knows them',
    ).to.have.length(1)
  })

  it('gets a new identity on restart and continues above all numbers', async () => {
    await commit(test.database, itemOf('a'))
    const before = await sequenceAll(test.database)
    // A backup taken during numbering: its head is older than its rows.
    await test.database.collection(COMMITS).updateMany({ seq: 1 }, { $set: { seq: 5 } })
    const { strays } = await examineLog(test.database, new Date())
    expect(strays).to.equal(1)
    const limits: unknown[] = []
    await examineLog(watchHead(test.database, limits), new Date())
    expect(limits, 'time limits of the reads of the head').to.deep.equal([10_000, 10_000])
    const head = await restartLog(test.database)
    expect(head.log).not.to.equal(before.log)
    expect(head).to.deep.include({ seq: 5, types: [{ type: 'api::a.a', seq: 5 }] })
    await commit(test.database, itemOf('b'))
    expect((await sequenceAll(test.database)).seq).to.equal(6)
    expect((await examineLog(test.database, new Date())).strays).to.equal(0)
  })

  describe('for writes outside a transaction', () => {
    const pending = () => test.database.collection(COMMITS).countDocuments({ pending: 1 })

    it('records the items after the write ends, even by an error', async () => {
      const items = Array.from({ length: MAX_ITEMS + 1 }, (_, index) => itemOf(`a${index}`))
      const made = await recordBulk(test.database, items, async (id) => {
        expect(await pending(), 'while it is written').to.equal(0)
        expect((await sequenceAll(test.database)).seq).to.equal(0)
        return id
      })
      expect(made).to.match(/^[0-9a-f]{24}$/)
      const failing = recordBulk(test.database, [itemOf('b')], () =>
        Promise.reject(new Error('half done')),
      )
      await failing.catch((error: unknown) => expect(String(error)).to.contain('half done'))
      await sequenceAll(test.database)
      expect((await documents()).flat()).to.deep.equal([
        ...items.map(({ documentId }) => documentId),
        'b',
      ])
    })

    it('records the items of a dead writer after its deadline', async () => {
      let die = (): void => undefined
      const dying = recordBulk(
        test.database,
        [itemOf('a')],
        () => new Promise<void>((resolve) => (die = resolve)),
      )
      const rows = test.database.collection(COMMITS)
      await until(async () => (await rows.countDocuments({ intent: 1 })) === 1, 10_000)
      expect(await releaseOverdue(test.database, new Date())).to.equal(0)
      expect(await releaseOverdue(test.database, new Date(Date.now() + 3_600_000))).to.equal(1)
      await sequenceAll(test.database)
      expect(await documents()).to.deep.equal([['a']])
      die() // the writer was alive: its later items are recorded as well
      await dying
      await sequenceAll(test.database)
      expect(await documents()).to.deep.equal([['a'], ['a']])
    })
  })

  describe('in a process', () => {
    const errors: unknown[] = []
    const open = () =>
      openCommitLog({
        database: test.database,
        retentionDays: 90,
        historyDays: 365,
        onBackgroundError: (error) => errors.push(error),
        lookMs: 20,
      })

    afterEach(() => expect(errors.splice(0)).to.deep.equal([]))

    it('numbers its commits and reports the new head', async () => {
      const log = await open()
      const heads: number[] = []
      log.onHead(({ seq }) => heads.push(seq))
      await commit(test.database, itemOf('a'))
      await until(() => log.head().seq === 1, 10_000)
      expect(heads).to.deep.equal([1])
      expect(await log.health()).to.deep.include({ pending: 0, lagMs: 0, strays: 0 })
      await log.close()
    })

    it('finishes numbering that another process interrupted', async () => {
      await commit(test.database, itemOf('a'))
      await new Promise<void>((resolve) => {
        const pause = (step: string): Promise<void> => {
          if (step !== 'assigned') return Promise.resolve()
          resolve()
          return new Promise(() => undefined)
        }
        void sequence(test.database, { pause })
      })
      await commit(test.database, itemOf('b'))
      expect((await examineLog(test.database, new Date())).pending).to.equal(2)
      const log = await open()
      await until(() => log.head().seq === 2, 10_000)
      expect(await documents()).to.deep.equal([['a'], ['b']])
      await log.close()
    })

    it('numbers pending commits when it opens', async () => {
      const log = await open()
      const closing = log.close()
      await closing
      await commit(test.database, itemOf('a'))
      expect((await readHead(test.database)).seq).to.equal(0)
      const other = await open()
      await other.close()
      expect((await readHead(test.database)).seq).to.equal(1)
    })
  })

  it('is read up to the given head only', async () => {
    for (const id of ['a', 'b', 'c']) {
      await commit(test.database, itemOf(id))
      await sequenceAll(test.database)
    }
    const found = await readCommits(test.database, { seq: 2 }, { after: 1, limit: 10 })
    expect(found.map(({ seq }) => seq)).to.deep.equal([2])
  })
})
