import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { readNewestToken, type ResumeToken } from '../../../src/mongo/adopted/change-streams.ts'
import { openForeignStream, transactionOf } from '../../../src/mongo/adopted/foreign-stream.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

/** More than a batch may have. */
const WRITES = 600
const MAX_BATCH = 500

describe('openForeignStream', function () {
  this.timeout(60_000)
  let test: TestDatabase
  let client: MongoClient
  let token: ResumeToken

  before(async function () {
    test = await openTestDatabase('foreign_stream')
    // Before the test is skipped, because `after` runs also then.
    client = await MongoClient.connect(test.uri)
    const newest = await readNewestToken(test.database)
    if (newest === null) this.skip()
    token = newest
    await client.db(test.name).createCollection('orders')
  })
  after(async () => {
    await client.close()
    await test.drop()
  })

  it('ends a batch of small transactions, without a loss between two batches', async () => {
    const orders = client.db(test.name).collection('orders')
    const write = (n: number): Promise<unknown> =>
      client.withSession((session) =>
        session.withTransaction(() => orders.insertOne({ n }, { session })),
      )
    await Promise.all(Array.from({ length: WRITES }, (_, n) => write(n)))
    const stream = openForeignStream(test.database, ['orders'], token)
    const transactions: (string | null)[] = []
    try {
      while (transactions.length < WRITES) {
        const { events } = await stream.next()
        expect(events.length).to.be.at.most(MAX_BATCH)
        transactions.push(...events.map(transactionOf))
      }
    } finally {
      await stream.close()
    }
    expect(transactions).to.not.include(null)
    expect(new Set(transactions).size).to.equal(WRITES)
  })
})
