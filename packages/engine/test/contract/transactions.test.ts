import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Binary, Long, MongoServerError } from 'mongodb'
import type { ClientSession, Collection, Db, Document, MongoClient } from 'mongodb'
import { message, rawClient } from '../server/raw-client.ts'
import { databaseName, TARGETS } from './targets.ts'

interface Row extends Document {
  _id: number
}

async function failure(work: Promise<unknown>): Promise<MongoServerError> {
  try {
    await work
  } catch (error) {
    if (error instanceof MongoServerError) return error
    throw error
  }
  throw new Error('should have failed')
}

describe('transactions of the embedded engine', () => {
  const [target] = TARGETS
  let client: MongoClient
  let close: () => Promise<void>
  let uri: string
  let database: Db
  let rows: Collection<Row>
  const sessions: ClientSession[] = []
  let created = 0

  before(async () => {
    if (!target) throw new Error('no target')
    const opened = await target.open()
    ;({ client, close } = opened)
    uri = opened.uri
    database = client.db(databaseName())
  })
  after(() => close())

  beforeEach(async () => {
    rows = database.collection<Row>(`c${created++}`)
    await rows.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ])
  })
  afterEach(async () => {
    for (const session of sessions.splice(0)) await session.endSession()
  })

  const begin = (): ClientSession => {
    const session = client.startSession()
    sessions.push(session)
    session.startTransaction()
    return session
  }

  it('shows its writes to others only after the commit', async () => {
    const session = begin()
    await rows.insertOne({ _id: 3, n: 3 }, { session })
    await rows.updateOne({ _id: 1 }, { $set: { n: 10 } }, { session })
    await rows.deleteOne({ _id: 2 }, { session })
    const inside = await rows.find({}, { session }).sort({ n: 1 }).toArray()
    expect(inside).to.deep.equal([
      { _id: 3, n: 3 },
      { _id: 1, n: 10 },
    ])
    expect(await rows.find().toArray()).to.deep.equal([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ])
    await session.commitTransaction()
    expect(await rows.find().sort({ _id: 1 }).toArray()).to.deep.equal([
      { _id: 1, n: 10 },
      { _id: 3, n: 3 },
    ])
  })

  it('sees its own writes through indexes', async () => {
    await rows.createIndex({ n: 1 })
    const session = begin()
    await rows.updateOne({ _id: 1 }, { $set: { n: 7 } }, { session })
    expect(await rows.find({ n: 7 }, { session }).toArray()).to.deep.equal([{ _id: 1, n: 7 }])
    expect(await rows.find({ n: 1 }, { session }).toArray()).to.deep.equal([])
    expect(
      await rows
        .find({ n: { $gt: 0 } }, { session })
        .sort({ n: -1 })
        .toArray(),
    ).to.deep.equal([
      { _id: 1, n: 7 },
      { _id: 2, n: 2 },
    ])
    await session.abortTransaction()
    expect(await rows.find({ n: 1 }).toArray()).to.deep.equal([{ _id: 1, n: 1 }])
  })

  it('reads one snapshot', async () => {
    const session = begin()
    expect(await rows.countDocuments({}, { session })).to.equal(2)
    await rows.insertOne({ _id: 3, n: 3 })
    await rows.updateOne({ _id: 1 }, { $set: { n: 100 } })
    expect(await rows.find({}, { session }).toArray()).to.deep.equal([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ])
    await session.commitTransaction()
  })

  it('leaves no documents and no collection after an abort', async () => {
    const session = begin()
    await database.collection('unborn').insertOne({ a: 1 }, { session })
    await rows.deleteMany({}, { session })
    await session.abortTransaction()
    expect(await rows.countDocuments()).to.equal(2)
    expect(await database.listCollections({ name: 'unborn' }).toArray()).to.deep.equal([])
  })

  it('fails the second writer of a document', async () => {
    const [one, two] = [begin(), begin()]
    await rows.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: one })
    const error = await failure(rows.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: two }))
    expect([
      error.code,
      error.codeName,
      error.hasErrorLabel('TransientTransactionError'),
    ]).to.deep.equal([112, 'WriteConflict', true])
    await one.commitTransaction()
    expect(await rows.findOne({ _id: 1 })).to.deep.equal({ _id: 1, n: 2 })
  })

  it('refuses to write documents that changed since its snapshot', async () => {
    const session = begin()
    await rows.findOne({ _id: 2 }, { session })
    await rows.updateOne({ _id: 1 }, { $inc: { n: 1 } })
    expect(
      (await failure(rows.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session }))).code,
    ).to.equal(112)
  })

  it('makes a write outside wait for its end', async () => {
    const session = begin()
    await rows.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session })
    let isDone = false
    const waiting = rows.updateOne({ _id: 1 }, { $inc: { n: 10 } }).then(() => (isDone = true))
    await rows.findOne({ _id: 2 })
    expect(isDone).to.equal(false)
    await session.commitTransaction()
    await waiting
    expect(await rows.findOne({ _id: 1 })).to.deep.equal({ _id: 1, n: 12 })
  })

  it('ends the wait of such a write after maxTimeMS', async () => {
    const session = begin()
    await rows.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session })
    const error = await failure(
      database.command({
        update: rows.collectionName,
        updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }],
        maxTimeMS: 50,
      }),
    )
    expect(error.code).to.equal(50)
  })

  it('holds unique keys between open transactions', async () => {
    await rows.createIndex({ n: 1 }, { unique: true })
    const [one, two] = [begin(), begin()]
    await rows.insertOne({ _id: 3, n: 3 }, { session: one })
    expect((await failure(rows.insertOne({ _id: 4, n: 3 }, { session: two }))).code).to.equal(112)
    const outside = failure(rows.insertOne({ _id: 5, n: 3 }))
    await one.commitTransaction()
    expect((await outside).code).to.equal(11000)
  })

  it('aborts on a duplicate key', async () => {
    const session = begin()
    expect((await failure(rows.insertOne({ _id: 1, n: 1 }, { session }))).code).to.equal(11000)
    const error = await failure(rows.findOne({}, { session }))
    expect([error.code, error.hasErrorLabel('TransientTransactionError')]).to.deep.equal([
      251,
      true,
    ])
  })

  it('refuses more than 1,000 open transactions, but no other command', async () => {
    const raw = await rawClient(uri)
    const $db = database.databaseName
    const lsids = Array.from({ length: 1001 }, () => ({ id: new Binary(randomBytes(16), 4) }))
    const open = async (n: number): Promise<Document> => {
      raw.send(
        message({
          find: rows.collectionName,
          lsid: lsids[n],
          txnNumber: Long.ONE,
          autocommit: false,
          startTransaction: true,
          $db,
        }),
      )
      return raw.reply()
    }
    for (let n = 0; n < 1000; n++) {
      // Gives each transaction its own snapshot.
      if (n % 10 === 0) await rows.updateOne({ _id: 1 }, { $inc: { n: 1 } })
      expect((await open(n))['ok']).to.equal(1)
    }
    const refused = await open(1000)
    expect([refused['code'], refused['errorLabels']]).to.deep.equal([
      246,
      ['TransientTransactionError'],
    ])
    expect(await rows.countDocuments()).to.equal(2)
    await rows.updateOne({ _id: 2 }, { $inc: { n: 1 } })
    raw.send(message({ endSessions: lsids, $db }))
    expect((await raw.reply())['ok']).to.equal(1)
    raw.socket.destroy()
  })

  it('replies to a repeated commit as to the first', async () => {
    const session = begin()
    await rows.insertOne({ _id: 9, n: 9 }, { session })
    await session.commitTransaction()
    await session.commitTransaction()
    expect(await rows.countDocuments({ _id: 9 })).to.equal(1)
  })

  it('creates collections and reads them back', async () => {
    const session = begin()
    const fresh = database.collection<Row>(`fresh${created}`)
    await fresh.insertOne({ _id: 1 }, { session })
    await fresh.updateOne({ _id: 1 }, { $set: { a: 1 } }, { session })
    expect(await fresh.aggregate([{ $match: { a: 1 } }], { session }).toArray()).to.have.length(1)
    await session.commitTransaction()
    expect(await fresh.countDocuments()).to.equal(1)
  })

  it('reads cursors', async () => {
    await rows.insertMany(Array.from({ length: 50 }, (_, i) => ({ _id: 100 + i })))
    const session = begin()
    await rows.deleteMany({ _id: { $gte: 140 } }, { session })
    expect(
      await rows.find({ _id: { $gte: 100 } }, { session, batchSize: 7 }).toArray(),
    ).to.have.length(40)
    await session.commitTransaction()
  })

  it('reads its snapshot after an index was built', async () => {
    const session = begin()
    expect(await rows.countDocuments({ n: 1 }, { session })).to.equal(1)
    await rows.createIndex({ n: 1 })
    expect(await rows.countDocuments({ n: 1 }, { session })).to.equal(1)
    await session.commitTransaction()
  })

  it('delays the drop of a collection that it has read', async () => {
    const session = begin()
    expect(await rows.countDocuments({}, { session })).to.equal(2)
    const dropped = rows.drop()
    expect(await rows.countDocuments({}, { session })).to.equal(2)
    expect(await rows.find({}, { session }).toArray()).to.have.length(2)
    await session.commitTransaction()
    await dropped
    expect(await rows.countDocuments()).to.equal(0)
  })

  it('refuses commands that cannot be undone', async () => {
    const session = begin()
    expect(
      (
        await failure(
          database.command(
            { createIndexes: rows.collectionName, indexes: [{ key: { a: 1 }, name: 'a' }] },
            { session },
          ),
        )
      ).code,
    ).to.equal(263)
  })

  it('runs callbacks again after conflicts', async () => {
    const add = (): Promise<unknown> =>
      client.withSession((session) =>
        session.withTransaction(async () => {
          const row = await rows.findOne({ _id: 1 }, { session })
          await rows.updateOne({ _id: 1 }, { $set: { n: Number(row?.['n']) + 1 } }, { session })
        }),
      )
    await Promise.all(Array.from({ length: 8 }, add))
    expect(await rows.findOne({ _id: 1 })).to.deep.equal({ _id: 1, n: 9 })
  })

  it('applies a retried write once', async () => {
    const lsid = { id: new Binary(randomBytes(16), 4) }
    const raw = await rawClient(uri)
    const run = (number: number): Promise<Document> => {
      raw.send(
        message({
          update: rows.collectionName,
          updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }],
          lsid,
          txnNumber: Long.fromNumber(number),
          $db: database.databaseName,
        }),
      )
      return raw.reply()
    }
    expect([(await run(7))['nModified'], (await run(7))['nModified']]).to.deep.equal([1, 1])
    expect(await rows.findOne({ _id: 1 })).to.deep.equal({ _id: 1, n: 2 })
    expect((await run(6))['code']).to.equal(225)
    expect((await run(8))['nModified']).to.equal(1)
    raw.socket.destroy()
  })
})
