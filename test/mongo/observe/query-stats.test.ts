import { expect } from 'chai'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openExplainer } from '../../../src/mongo/observe/explain-command.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import {
  openQueryStats,
  type QueryStats,
  readQueryStats,
} from '../../../src/mongo/observe/query-stats.ts'
import { openTestDatabase } from '../../support/test-database.ts'

const SECRET = 'nobody-may-read-this'

describe('statistics of queries', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  let database: Database
  let stats: QueryStats

  before(async () => {
    test = await openTestDatabase('stats')
    const monitor = createCommandMonitor('totals')
    const { uri, name } = test
    database = await openDatabase({ uri, name, queryTimeoutMs: 10_000, monitor })
    stats = openQueryStats({
      explainer: openExplainer(database),
      database,
      monitor,
      collections: new Set(['content']),
      now: () => new Date(),
      onBackgroundError: (error) => expect.fail(String(error)),
      flushIntervalMs: 2 ** 31 - 1,
    })
    await database.collection('content').insertMany([{ title: SECRET }, { title: 'b' }])
  })
  beforeEach(async () => {
    await stats.flush()
    await test.database.collection('quire_query_stats').deleteMany({})
  })
  after(async () => {
    await database.close()
    await test.drop()
  })

  const ask = (title: string) =>
    database
      .collection('content')
      .find({ title }, { sort: { rank: 1 } })
      .toArray()

  it('sums up queries by shape across flushes, without operands', async () => {
    for (const title of [SECRET, 'b', 'c']) await ask(title)
    await stats.flush()
    await ask('d')
    await database.collection('content').findOne({ rank: 1 })
    await database.collection('other').findOne({ title: SECRET })
    await stats.flush()
    const stored = await readQueryStats(test.database)
    expect(stored).to.have.length(2)
    const stat = stored.find(({ sorted }) => sorted.length === 1)
    expect(stat).to.deep.include({
      collection: 'content',
      filtered: ['title'],
      sorted: ['rank'],
      count: 4,
    })
    expect(stat?.totalMs).to.be.at.least(stat?.slowestMs ?? Infinity)
    expect(stat?.lastSeenAt).to.be.instanceOf(Date)
    const raw = await test.database.collection('quire_query_stats').find().toArray()
    expect(JSON.stringify(raw)).to.not.include(SECRET)
  })

  it('explains the slowest shape without a plan', async () => {
    await database.collection('content').find({ size: 1 }).toArray()
    await stats.flush()
    const [stat] = await readQueryStats(test.database)
    expect(stat?.plan).to.have.all.keys('indexes', 'scanned', 'returned')
    await database.collection('content').find({ size: 1 }).toArray()
    await stats.flush() // not explained again: the plan stays
    expect((await readQueryStats(test.database))[0]).to.deep.include({ plan: stat?.plan, count: 2 })
  })

  it('keeps the 500 most recent shapes', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({
      _id: `old${index}` as never,
      collection: 'content',
      filtered: [`a${index}`],
      sorted: [],
      count: 1,
      totalMs: 1,
      slowestMs: 1,
      lastSeenAt: new Date(index),
      plan: null,
    }))
    await test.database.collection('quire_query_stats').insertMany(rows)
    await ask('e')
    await stats.flush()
    const stored = await readQueryStats(test.database)
    const seen = stored.map(({ filtered }) => filtered.join())
    expect(seen).to.have.length(500).and.include('title').and.not.include('a0')
  })

  it('limits the shapes in memory', async () => {
    const names = Array.from({ length: 230 }, (_, index) => `n${index}`)
    for (const name of names) await database.collection('content').findOne({ [name]: 1 })
    await stats.flush()
    expect(await readQueryStats(test.database)).to.have.length(200)
  })

  it('writes pending statistics on close', async () => {
    await ask('f')
    await stats.close()
    expect(await readQueryStats(test.database)).to.have.length(1)
  })
})
