import { expect } from 'chai'
import {
  BSON,
  type Db,
  type Document,
  MongoClient,
  MongoNetworkError,
  MongoServerError,
} from 'mongodb'
import { openReadAtOnce } from '../../../src/mongo/connection/read-at-once.ts'
import { testUri } from '../../support/test-database.ts'

const FIND = {
  find: 'rows',
  filter: { kind: 'b' },
  sort: { n: 1 as const },
  projection: { _id: 0, n: 1 },
}

const REPEATING = { retryReads: true, retryWrites: true }

describe('openReadAtOnce', () => {
  describe('with a database', () => {
    let client: MongoClient
    let db: Db

    before(async () => {
      client = await MongoClient.connect(await testUri())
      db = client.db(`quire_test_read_at_once_${process.pid}`)
      const rows = Array.from({ length: 300 }, (_, n) => ({ n, kind: n % 2 === 0 ? 'a' : 'b' }))
      await db.collection('rows').insertMany(rows)
    })
    after(async () => {
      await db.dropDatabase()
      await client.close()
    })

    it('returns the rows that a cursor returns', async () => {
      const range = { skip: 10, limit: 20, batchSize: 21 }
      const rows = await openReadAtOnce(db, REPEATING)({ ...FIND, ...range, maxTimeMS: 5_000 })
      const { filter, sort, projection } = FIND
      const expected = await db
        .collection('rows')
        .find(filter, { sort, projection, ...range })
        .toArray()
      expect(rows?.map((bytes) => BSON.deserialize(bytes))).to.deep.equal(expected)
      expect(expected).to.have.length(20)
    })

    it('returns no rows for an empty result and for a missing collection', async () => {
      expect(await openReadAtOnce(db, REPEATING)({ ...FIND, filter: { kind: 'c' } })).to.deep.equal(
        [],
      )
      expect(await openReadAtOnce(db, REPEATING)({ find: 'other', filter: {} })).to.deep.equal([])
    })

    it('returns the rows of an aggregation', async () => {
      const pipeline = [{ $group: { _id: '$kind', count: { $sum: 1 } } }, { $sort: { _id: 1 } }]
      const rows = await openReadAtOnce(db, REPEATING)({ aggregate: 'rows', pipeline, cursor: {} })
      expect(rows?.map((bytes) => BSON.deserialize(bytes))).to.deep.equal([
        { _id: 'a', count: 150 },
        { _id: 'b', count: 150 },
      ])
    })

    it('returns null and closes the cursor if rows remain', async () => {
      const killed: unknown[] = []
      const kept = Object.create(db, {
        command: {
          value: async (command: Document, options: Document) => {
            const reply = await db.command(command, options)
            if (command['killCursors'] !== undefined) killed.push(reply['cursorsKilled'])
            return reply
          },
        },
      }) as Db
      const read = openReadAtOnce(kept, REPEATING)
      expect(await read({ ...FIND, batchSize: 5 })).to.equal(null)
      while (killed.length === 0) await new Promise((resolve) => setImmediate(resolve))
      expect(killed[0]).to.have.length(1)
      expect(await read({ ...FIND, batchSize: 200 }), 'read at once again').to.equal(null)
    })

    it('throws the error of a refused command', async () => {
      const wrong = openReadAtOnce(db, REPEATING)({ ...FIND, filter: { $nothing: 1 } })
      const error: unknown = await wrong.catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(MongoServerError)
    })
  })

  it('returns null if the server is lost', async () => {
    const lost = [
      new MongoNetworkError('connection closed'),
      new MongoServerError({ message: 'not primary', code: 10107 }),
      new MongoServerError({ message: 'interrupted at shutdown', code: 11600 }),
      new MongoServerError({ message: 'query plan killed', code: 175 }),
      Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
    ]
    for (const error of lost) {
      expect(await openReadAtOnce(refusing(error), REPEATING)(FIND), error.message).to.equal(null)
    }
  })

  it('returns null if only the error message says that the server cannot be read', async () => {
    for (const message of ['not master and slaveOk=false', 'node is recovering']) {
      const error = new MongoServerError({ message })
      expect(await openReadAtOnce(refusing(error), REPEATING)(FIND), message).to.equal(null)
    }
  })

  it('does not retry after overload if the driver has retried', async () => {
    const errorLabels = ['SystemOverloadedError', 'RetryableError']
    const error = new MongoServerError({ message: 'overloaded', code: 462, errorLabels })
    const read = openReadAtOnce(refusing(error), REPEATING)
    expect(await read(FIND).catch((thrown: unknown) => thrown)).to.equal(error)
    const noWrites = { retryReads: true, retryWrites: false }
    expect(await openReadAtOnce(refusing(error), noWrites)(FIND)).to.equal(null)
  })

  it('does not retry if the connection string disables retries', async () => {
    const error = new MongoNetworkError('connection closed')
    const read = openReadAtOnce(refusing(error), { retryReads: false, retryWrites: true })
    expect(await read(FIND).catch((thrown: unknown) => thrown)).to.equal(error)
  })

  it('closes a cursor by its id as a long with the same read preference', async () => {
    const sent: (readonly [Document, Document])[] = []
    const db = {
      readPreference: 'nearest',
      command: (command: Document, options: Document) => {
        sent.push([command, options])
        return Promise.resolve({ cursor: { id: 7n, firstBatch: [] } })
      },
    } as unknown as Db
    expect(await openReadAtOnce(db, REPEATING)(FIND)).to.equal(null)
    expect(sent.map(([, { readPreference }]) => readPreference as unknown)).to.deep.equal([
      'nearest',
      'nearest',
    ])
    expect(sent[1]?.[0]).to.deep.equal({ killCursors: 'rows', cursors: [7n] })
  })

  it('throws errors that a retry would not fix', async () => {
    const outOfTime = new MongoServerError({ message: 'operation exceeded time limit', code: 50 })
    const thrown: unknown = await openReadAtOnce(
      refusing(outOfTime),
      REPEATING,
    )(FIND).catch((e: unknown) => e)
    expect(thrown).to.equal(outOfTime)
  })

  it('uses the read concern and the read preference of its database', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1', { readConcernLevel: 'majority' })
    const db = client.db('none', { readPreference: 'nearest' })
    let sent: Document = {}
    db.command = (command, options) => {
      sent = { command, options }
      return Promise.resolve({ cursor: { id: 0n, firstBatch: [] } })
    }
    await openReadAtOnce(db, REPEATING)(FIND)
    expect(sent['command']).to.deep.include({ ...FIND, readConcern: db.readConcern })
    expect(sent['options']).to.deep.include({ readPreference: db.readPreference })
    expect(db.readPreference.mode).to.equal('nearest')
  })
})

function refusing(error: Error): Db {
  return { command: () => Promise.reject(error) } as unknown as Db
}
