import { rmSync } from 'node:fs'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { Binary, MongoClient, MongoServerError } from 'mongodb'
import type { Collection, Document } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'
import type { EmbeddedEngine } from '../../src/start-embedded.ts'
import type { Strictness } from '../../src/request/strictness.ts'
import { temporaryFolder } from '../contract/targets.ts'

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

describe('the strict modes of the embedded engine', () => {
  let directory: string
  let engine: EmbeddedEngine
  let client: MongoClient
  let rows: Collection<Row>

  const open = async (strictness: Strictness): Promise<void> => {
    directory = temporaryFolder()
    engine = await startEmbedded({ directory, durable: false, strictness })
    client = await MongoClient.connect(engine.uri)
    rows = client.db('strict').collection<Row>('rows')
    await rows.insertMany([
      { _id: 1, n: 1, owner: 'a' },
      { _id: 2, n: 2, owner: 'b' },
    ])
  }
  afterEach(async () => {
    await client.close()
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  })

  describe('a replica set', () => {
    const hold = (how: string): Promise<Document> =>
      client.db('admin').command({ holdMajority: how })
    const local = (): Promise<number> => rows.countDocuments({})
    const majority = async (): Promise<number> =>
      (await rows.find({}, { readConcern: 'majority' }).toArray()).length

    it('requires the option', async () => {
      await open({})
      expect((await failure(hold('begin'))).code).to.equal(59)
      const read = rows.find({}, { readConcern: 'snapshot' }).toArray()
      expect((await failure(read)).code).to.equal(72)
    })

    it('reads several collections at one moment in a snapshot session', async () => {
      await open({ replicaSet: true })
      const others = client.db('strict').collection<Row>('others')
      await client.withSession({ snapshot: true }, async (session) => {
        expect(await rows.find({}, { session }).toArray()).to.have.length(2)
        await rows.insertOne({ _id: 3 })
        await rows.updateOne({ _id: 1 }, { $set: { n: 9 } })
        await others.insertOne({ _id: 1 })
        expect(await others.find({}, { session }).toArray()).to.deep.equal([])
        expect(await rows.distinct('n', {}, { session })).to.deep.equal([1, 2])
        expect(await rows.aggregate([{ $match: {} }], { session }).toArray()).to.have.length(2)
        expect(await rows.find({}).toArray()).to.have.length(3)
      })
    })

    it('reads an older majority and delays its writers', async () => {
      await open({ replicaSet: true })
      await hold('begin')
      let isAcknowledged = false
      const written = rows
        .insertOne({ _id: 3 }, { writeConcern: { w: 'majority' } })
        .then(() => (isAcknowledged = true))
      await rows.insertOne({ _id: 4 }, { writeConcern: { w: 1 } })
      expect([await local(), await majority(), isAcknowledged]).to.deep.equal([4, 2, false])
      await client.withSession({ snapshot: true }, async (session) => {
        expect(await rows.find({}, { session }).toArray()).to.have.length(2)
      })
      await hold('end')
      await written
      expect([await local(), await majority()]).to.deep.equal([4, 4])
    })

    it('rolls back writes that no majority had', async () => {
      await open({ replicaSet: true })
      await rows.createIndex({ n: 1 }, { unique: true })
      await hold('begin')
      const lost = { writeConcern: { w: 1 } }
      await rows.insertOne({ _id: 3, n: 3 }, lost)
      await rows.deleteOne({ _id: 2 }, lost)
      await client.db('strict').collection<Row>('others').insertOne({ _id: 1 }, lost)
      await hold('rollBack')
      expect((await rows.find({}).toArray()).map(({ n }) => n)).to.deep.equal([1, 2])
      expect(await client.db('strict').collection('others').countDocuments({})).to.equal(0)
      await rows.insertOne({ _id: 3, n: 3 })
      expect((await failure(rows.insertOne({ _id: 4, n: 2 }))).code).to.equal(11000)
    })
  })

  it('shows a write to others before its writer gets the reply', async () => {
    await open({ lateRepliesMs: 200 })
    let isAnswered = false
    const written = rows.insertOne({ _id: 3 }).then(() => (isAnswered = true))
    while ((await rows.countDocuments({ _id: 3 })) === 0) await Promise.resolve()
    expect(isAnswered).to.equal(false)
    await written
  })

  describe('duplicates', () => {
    const told = async (work: Promise<unknown>): Promise<Document> => {
      const { code, message, keyPattern } = (await failure(work)) as Document
      return { code, names: String(message).includes('index: n_1 dup key: { n: 1 }'), keyPattern }
    }
    const takeTwice = async (): Promise<Document[]> => [
      await told(rows.insertOne({ _id: 3, n: 1 })),
      await told(rows.updateOne({ _id: 2 }, { $set: { n: 1 } })),
      await told(rows.replaceOne({ _id: 4 }, { n: 1 }, { upsert: true })),
      await told(rows.findOneAndUpdate({ _id: 2 }, { $set: { n: 1 } })),
    ]

    it('are reported without keyPattern in the bare mode', async () => {
      await open({ bareDuplicates: true })
      await rows.createIndex({ n: 1 }, { unique: true })
      const bare = { code: 11000, names: true, keyPattern: undefined }
      expect(await takeTwice()).to.deep.equal([bare, bare, bare, { ...bare, keyPattern: { n: 1 } }])
    })

    it('are reported with keyPattern by default', async () => {
      await open({})
      await rows.createIndex({ n: 1 }, { unique: true })
      const full = { code: 11000, names: true, keyPattern: { n: 1 } }
      expect(await takeTwice()).to.deep.equal([full, full, full, full])
    })
  })

  describe('sharded collections', () => {
    const shard = (key: Document): Promise<Document> =>
      client.db('admin').command({ shardCollection: 'strict.rows', key })
    const set = { $set: { seen: true } }

    it('require the option', async () => {
      await open({})
      expect((await failure(shard({ _id: 1 }))).code).to.equal(59)
    })

    it('refuse single writes by a range of the shard key', async () => {
      await open({ sharding: true })
      await shard({ _id: 1 })
      const range = { _id: { $gte: 1, $lt: 9 } }
      const refusals = [
        await failure(rows.findOneAndUpdate(range, set)),
        await failure(rows.findOneAndDelete(range)),
        await failure(rows.updateOne(range, set)),
        await failure(rows.updateOne({ n: 1 }, set)),
        await failure(rows.updateOne({ $or: [{ _id: 1 }, { _id: 2 }] }, set)),
        await failure(rows.updateOne({ _id: { $in: [1, 2] } }, set)),
        await failure(rows.updateOne({ n: 9 }, set, { upsert: true })),
        await failure(rows.deleteOne(range)),
      ]
      expect(refusals.map(({ code }) => code)).to.deep.equal([61, 61, 72, 72, 72, 72, 61, 61])
      expect(refusals[0]?.message).to.include('must contain the shard key')
      expect(await rows.countDocuments({ seen: true })).to.equal(0)
    })

    it('accept writes with the shard key, and writes of many documents', async () => {
      await open({ sharding: true })
      await shard({ _id: 1 })
      await rows.updateOne({ _id: 1, n: 1 }, set)
      await rows.updateOne({ $and: [{ _id: { $eq: 2 } }, { n: 2 }] }, set)
      await rows.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })
      await rows.updateOne({ _id: 3 }, set, { upsert: true })
      expect(await rows.countDocuments({ seen: true })).to.equal(3)
      await rows.deleteOne({ _id: 3 })
      await rows.updateMany({ n: { $gt: 0 } }, { $inc: { n: 1 } })
      expect((await rows.deleteMany({ _id: { $gt: 0 } })).deletedCount).to.equal(2)
    })

    it('accept updates and deletes by _id, but no findAndModify', async () => {
      await open({ sharding: true })
      await shard({ owner: 1, n: 1 })
      await rows.updateOne({ _id: 1 }, set)
      await rows.findOneAndUpdate({ owner: 'b', n: 2 }, set)
      expect((await failure(rows.findOneAndUpdate({ _id: 1 }, set))).code).to.equal(61)
      expect((await failure(rows.updateOne({ _id: 7 }, set, { upsert: true }))).code).to.equal(61)
      expect((await failure(rows.updateOne({ owner: 'a' }, set))).code).to.equal(72)
      expect((await rows.deleteOne({ _id: 1 })).deletedCount).to.equal(1)
    })
  })

  describe('the transaction of a client that was killed', () => {
    /** Writes the first document in a transaction and is killed before the commit. */
    const writeAndDie = async (): Promise<Binary> => {
      const child = fork(new URL('lost-client-child.js', import.meta.url), [engine.uri])
      const [{ lsid }] = (await once(child, 'message')) as [{ lsid: string }]
      child.kill('SIGKILL')
      await once(child, 'exit')
      return new Binary(Buffer.from(lsid, 'hex'), Binary.SUBTYPE_UUID)
    }
    const write = (maxTimeMS: number): Promise<Document> =>
      rows.updateOne({ _id: 1 }, { $set: { n: 7 } }, { maxTimeMS })

    it('is aborted at once', async () => {
      await open({})
      await writeAndDie()
      await write(10_000)
      expect(await rows.findOne({ _id: 1 })).to.include({ n: 7 })
    })

    it('is aborted after the given seconds, or when its session is killed', async () => {
      await open({ lostTransactionSeconds: 60 })
      const id = await writeAndDie()
      expect((await failure(write(1500))).code).to.equal(50)
      await client.db('admin').command({ killSessions: [{ id }] })
      await write(1500)
      expect(await rows.findOne({ _id: 1 })).to.include({ n: 7 })
    })
  })

  describe('null over lists', () => {
    const lists = [
      { _id: 10, a: [] },
      { _id: 11, a: [1, 'x'] },
      { _id: 12, a: [{ b: null }] },
      { _id: 13, a: [{ b: 2 }, { c: 1 }] },
      { _id: 14, a: [1, { b: 2 }] },
      { _id: 15, a: { b: [] } },
      { _id: 16, a: [{ b: 2 }] },
    ]
    const NULLS = [12, 13]
    const found = async (filter: Document): Promise<readonly number[]> => {
      const both = { $and: [{ _id: { $gte: 10 } }, filter] }
      const rowsFound = await rows.find(both).sort({ _id: 1 }).toArray()
      return rowsFound.map(({ _id }) => _id)
    }

    for (const index of [false, true]) {
      for (const [nullOverLists, nulls] of [
        [false, NULLS],
        [true, [10, 11, ...NULLS]],
      ] as const) {
        it(`${nullOverLists ? 'includes' : 'excludes'} lists without a value, index: ${index}`, async () => {
          await open({ nullOverLists })
          await rows.insertMany(lists)
          if (index) await rows.createIndex({ 'a.b': 1 })
          const rest = lists.map(({ _id }) => _id).filter((id) => !nulls.includes(id))
          for (const operand of [null, { $eq: null }, { $in: [null, 7] }, { $lte: null }]) {
            expect(await found({ 'a.b': operand })).to.deep.equal(nulls)
          }
          expect(await found({ 'a.b': { $ne: null } })).to.deep.equal(rest)
          expect(await found({ 'a.b': { $nin: [null] } })).to.deep.equal(rest)
          expect(await found({ 'a.b': { $exists: false } })).to.deep.equal([10, 11])
          expect(await found({ 'a.b': 2 })).to.deep.equal([13, 14, 16])
        })
      }
    }
  })
})
