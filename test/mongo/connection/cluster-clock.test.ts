import { expect } from 'chai'
import * as fc from 'fast-check'
import { MongoClient, Timestamp } from 'mongodb'
import { openClusterClock } from '../../../src/mongo/connection/cluster-clock.ts'
import {
  parseClusterTime,
  showClusterTime,
} from '../../../src/mongo/connection/cluster-time-text.ts'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { openTestDatabase } from '../../support/test-database.ts'

const FUTURE = '2147483647.0000000001'
const part = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const aTime = fc
  .record({ t: part, i: part })
  .filter(({ t }) => t > 0)
  .map((parts) => new Timestamp(parts))

describe('the text of a cluster time', () => {
  it('is parsed to the same time and has the order of times', () => {
    fc.assert(
      fc.property(aTime, aTime, (one, other) => {
        const [text, otherText] = [one, other].map(showClusterTime) as [string, string]
        expect(parseClusterTime(text)?.toBigInt()).to.equal(one.toBigInt())
        expect(text < otherText).to.equal(one.lessThan(other))
      }),
    )
  })

  it('has one form', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{9,11}\.\d{9,11}$/)), (text) => {
        const time = parseClusterTime(text)
        if (time !== null) expect(showClusterTime(time)).to.equal(text)
      }),
    )
  })
})

describe('the cluster clock', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  let other: Database
  const commands: string[] = []

  before(async function () {
    test = await openTestDatabase('cluster_clock')
    const monitor = createCommandMonitor('totals')
    monitor.onCommand(({ name }) => commands.push(name))
    const { uri, name } = test
    other = await openDatabase({ uri, name, queryTimeoutMs: 10_000, monitor })
    if ((await test.database.clusterTime(false)) === null) this.skip() // such as DocumentDB
  })
  after(async () => {
    await other.close()
    await test.drop()
  })

  const write = () =>
    test.database.transact((session) =>
      test.database.collection('rows').insertOne({ n: 1 }, { session }),
    )
  const timeOf = async (database: Database): Promise<string> =>
    (await database.clusterTime(false)) ?? ''

  it('advances with each transaction, without a command', async () => {
    const before = await timeOf(test.database)
    await write()
    const after = await timeOf(test.database)
    expect(after > before).to.equal(true)
    expect(await timeOf(test.database)).to.equal(after)
  })

  it('asks the primary for a time of another process, and only once', async () => {
    await other.clusterTime(false)
    await write()
    const time = await timeOf(test.database)
    commands.length = 0
    expect(await other.judgeTime(time)).to.equal('reached')
    expect(await other.judgeTime(time)).to.equal('reached')
    expect(commands).to.deep.equal(['find'])
    await write()
    const later = await other.clusterTime(true)
    expect(String(later) >= (await timeOf(test.database))).to.equal(true)
  })

  it('has not reached a time of the future', async () => {
    expect(await test.database.judgeTime(FUTURE)).to.equal('future')
    expect(await test.database.judgeTime('1.1')).to.equal('malformed')
  })

  it('maps the refusal of a member that has not heard of the time to a 503', async () => {
    const rows = test.database.reading('nearest', FUTURE).table('rows')
    const error: unknown = await rows.findOne({}).catch((reason: unknown) => reason)
    expect(error).to.deep.include({ status: 503, errorCode: 'database_busy' })
  })

  it('reaches every time and knows none on a standalone server', async () => {
    const client = new MongoClient(test.uri)
    const known = { isReplicated: false, queryTimeoutMs: 1_000 }
    const clock = openClusterClock(client, client.db(test.name), known)
    expect(await clock.shown.clusterTime(true)).to.equal(null)
    expect(await clock.shown.judgeTime(FUTURE)).to.equal('reached')
    expect(clock.readConcernAfter(FUTURE)).to.equal(null)
    await client.close()
  })

  it('begins sessions with the newest time that it has seen', async () => {
    const client = new MongoClient(test.uri)
    const known = { isReplicated: true, queryTimeoutMs: 1_000 }
    const clock = openClusterClock(client, client.db(test.name), known)
    const times = [3, 5, 4].map((t) => ({ clusterTime: new Timestamp({ t, i: 1 }) }))
    for (const time of times) {
      const session = client.startSession()
      session.clusterTime = time
      clock.note(session)
      await session.endSession()
    }
    const session = client.startSession()
    expect(session.clusterTime).to.equal(times[1])
    await session.endSession()
    await client.close()
  })
})
